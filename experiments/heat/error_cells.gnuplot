set multiplot layout 1,4 margins 0.07, 0.83, 0.15, 0.83 spacing 0.055, 0 title "Excess over memory: mean (lines) and 95 % (dashed), cropped at 0.002 and 200"
set logscale xy
set xlabel "16-bit cells per item"
set ylabel "excess, hits"
set format y "%g"
set yrange [0.002:200]
set xrange [1.6:20]
set xtics (2, 4, 8, 16)
file = data.'error_cells.csv'
pick(s, f, c) = stringcolumn(1) eq s && column(2) == lambda && stringcolumn(4) eq f ? column(c) : NaN
array streams[4] = ["flat", "zipf 1.0", "blog paths", "zipf 1.0"]
do for [i = 1:4] {
  s = streams[i]
  lambda = i == 4 ? 1 : 0.9
  set title sprintf("%s, lambda %g", s, lambda)
  if (i > 1) { unset key; unset ylabel } else { @legend_right }
  plot file using 3:(pick(s, "plain", 5)) with linespoints lw 2 lc 1 title "basic, plain", \
    file using 3:(pick(s, "plain", 6)) with lines dt 2 lc 1 notitle, \
    file using 3:(pick(s, "minimum", 5)) with linespoints lw 2 lc 2 title "basic, minimum", \
    file using 3:(pick(s, "minimum", 6)) with lines dt 2 lc 2 notitle, \
    file using 3:(pick(s, "heat_filter", 5)) with linespoints lw 2 lc 3 title "heat\\_filter", \
    file using 3:(pick(s, "heat_filter", 6)) with lines dt 2 lc 3 notitle
}
unset multiplot
