load 'experiments/recency/answers.gp'
set multiplot layout 2,3 margins 0.05, 0.78, 0.08, 0.9 spacing 0.05, 0.15 title "The best k (figure 8); of a buffer, bits of a fingerprint"
set yrange [0:*]
do for [i = 1:6] {
  set title panel(i)
  if (i == 1) { @legend_right } else { unset key }
  plot for [j in "1 2 3 5 7 9"] file(i) using 3:(pick(i, answers[j + 0], 5)) with linespoints \
    lw 2 ps 0.5 lc rgb colours[j + 0] title answers[j + 0]
}
unset multiplot
