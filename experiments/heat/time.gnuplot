set title "Time as multiples of the basic filter's: medians and quartiles of 9 rounds in turns"
set style data points
set ylabel "ratio"
set yrange [0:*]
set xrange [-0.5:5.5]
set key outside right Left reverse samplen 1.5
set grid y
file = data.'time.csv'
set xtics ("flat 0.5" 0, "flat 0.9" 1, "flat 0.95" 2, "zipf 0.5" 3, "zipf 0.9" 4, "zipf 0.95" 5)
spot(o) = (stringcolumn(1) eq "flat" ? 0 : 3) + (column(2) == 0.5 ? 0 : column(2) == 0.9 ? 1 : 2) + o
pick(f, w) = stringcolumn(3) eq f && stringcolumn(4) eq w ? column(7) : NaN
plot 1 with lines lc rgb "#999999" title "basic", \
  file using (spot(-0.25)):(pick("optimized", "creation")):8:9 with yerrorbars lw 2 lc 1 pt 7 title "optimized, creation", \
  file using (spot(-0.15)):(pick("optimized", "query of items by their hits")):8:9 with yerrorbars lw 2 lc 2 pt 7 title "optimized, queries", \
  file using (spot(-0.05)):(pick("optimized", "query of absent items")):8:9 with yerrorbars lw 2 lc 3 pt 7 title "optimized, absent items", \
  file using (spot(0.1)):(pick("heat_filter", "creation")):8:9 with yerrorbars lw 2 lc 4 pt 7 title "heat\\_filter, creation", \
  file using (spot(0.2)):(pick("heat_filter", "query of items by their hits")):8:9 with yerrorbars lw 2 lc 5 pt 7 title "heat\\_filter, queries"
