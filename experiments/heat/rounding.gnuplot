set multiplot layout 1,2 margins 0.08, 0.72, 0.15, 0.83 spacing 0.09, 0 title "Answer minus truth without shared cells"
set logscale y
set format y "%g"
@legend_right
set xrange [1.8:110]
set yrange [0.001:110]
set xlabel "1 / (1 - lambda)"
set logscale x
set xtics (2, 5, 10, 20, 100)
set ylabel "hits"
file = data.'rounding.csv'
pick(f, c) = stringcolumn(1) eq f && column(c) > 0 ? column(c) : NaN
set title "mean deficit (lines) or excess (dashed)"
plot file using 8:(pick("down", 3)) with linespoints lw 2 lc 1 title "down", \
  file using 8:(pick("random", 3)) with linespoints lw 2 lc 2 title "random, minimum increase", \
  file using 8:(pick("up", 6)) with linespoints dt 2 lw 2 lc 3 title "up", \
  file using 8:(pick("fixed point", 6)) with linespoints dt 2 lw 2 lc 4 title "fixed point", \
  x with lines lc rgb "#999999" title "1 / (1 - lambda)"
unset logscale x
set xtics auto
set title "lambda = 0.9: share of answers"
set xlabel "answer minus truth, hits"
set ylabel "share"
unset key
set xrange [-9:11]
set yrange [0.0001:1]
file = data.'rounding_histogram.csv'
plot file using 3:(stringcolumn(1) eq "down" ? column(4) : NaN) with steps lw 2 lc 1 title "down", \
  file using 3:(stringcolumn(1) eq "random" ? column(4) : NaN) with steps lw 2 lc 2 title "random", \
  file using 3:(stringcolumn(1) eq "up" ? column(4) : NaN) with steps lw 2 lc 3 title "up", \
  file using 3:(stringcolumn(1) eq "fixed point" ? column(4) : NaN) with impulses lw 2 lc 4 title "fixed point"
unset multiplot
