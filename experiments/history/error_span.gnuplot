load 'experiments/history/methods.gp'
set multiplot layout 1,3 title "Error over the span, |q| = 128, 50 million bits (figure 11)"
set yrange [0:0.3]
set xrange [3:25]
set xlabel "first hours of the day"
set ylabel "chance of a wrong maybe"
file = data.'error_span.csv'
pick(s, m) = stringcolumn(1) eq s && stringcolumn(5) eq m && stringcolumn(6) eq "seen" ? column(7) : NaN
array sets[3] = ["edgar dense", "edgar bursty", "edgar uniform"]
do for [i = 1:3] {
  s = sets[i]
  set title s
  if (i == 1) { set key top left samplen 1 spacing 0.9 } else { unset key }
  plot for [j = 1:9] file using ($4 / 3600):(pick(s, methods[j])) with linespoints lw 2 ps 0.5 \
    lc rgb colours[j] title methods[j]
}
unset multiplot
