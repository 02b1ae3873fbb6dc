load 'experiments/history/methods.gp'
shown = "1 13 2 3 4 5 7 14 8 9 10 11"
set terminal svg size 1100,420 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.08, 0.79, 0.15, 0.83 spacing 0.055, 0 title "Error over the span, |q| = 128, 50 million bits (figure 11), cropped at 0.3 as published"
set yrange [0:0.3]
set xrange [3:25]
set xlabel "first hours of the day"
set ylabel "probability of a wrong maybe"
file = data.'error_span.csv'
pick(s, m) = stringcolumn(1) eq s && stringcolumn(5) eq m ? column(6) : NaN
array sets[3] = ["edgar dense", "edgar bursty", "edgar uniform"]
do for [i = 1:3] {
  s = sets[i]
  set title s
  if (i == 1) { @legend_right } else { unset key; unset ylabel }
  plot for [j in shown] file using ($4 / 3600):(pick(s, methods[j + 0])) with linespoints lw 2 ps 0.5 \
    lc rgb colours[j + 0] title methods[j + 0]
}
unset multiplot
