set multiplot layout 1,3 title "Over-estimate over memory, lambda = 0.9: mean (lines) and 95 % (dashed)"
set logscale xy
set xlabel "16-bit cells per item"
set ylabel "hits too many"
set format y "%g"
set yrange [0.002:200]
set xtics (2, 3, 4, 6, 8, 12, 16)
file = data.'error_cells.csv'
pick(s, f, c) = stringcolumn(1) eq s && stringcolumn(4) eq f ? column(c) : 1/0
do for [i = 1:3] {
  s = word("flat|zipf 1.0|blog paths", 1)
  s = i == 1 ? "flat" : i == 2 ? "zipf 1.0" : "blog paths"
  set title s
  if (i > 1) { unset key } else { set key bottom left samplen 1 spacing 0.9 }
  plot file using 3:(pick(s, "plain", 5)) with linespoints lw 2 lc 1 title "basic, plain", \
    file using 3:(pick(s, "plain", 6)) with lines dt 2 lc 1 notitle, \
    file using 3:(pick(s, "minimum", 5)) with linespoints lw 2 lc 2 title "basic, minimum", \
    file using 3:(pick(s, "minimum", 6)) with lines dt 2 lc 2 notitle, \
    file using 3:(pick(s, "heat_filter", 5)) with linespoints lw 2 lc 3 title "heat\\_filter", \
    file using 3:(pick(s, "heat_filter", 6)) with lines dt 2 lc 3 notitle
}
unset multiplot
