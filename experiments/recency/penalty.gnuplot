load 'experiments/recency/answers.gp'
set multiplot layout 2,3 margins 0.05, 0.72, 0.08, 0.9 spacing 0.05, 0.15 title "Mean penalty of a question, each filter at its best k (figure 11)"
set logscale y
set format y "%g"
do for [i = 1:6] {
  set title panel(i)
  # Thirteen names are too many for one column: seven beside the first row, six beside the second.
  unset key
  if (i == 1) { @legend_right }
  if (i == 4) { set key at screen 0.99, 0.45 right top vertical Left reverse samplen 1.5 }
  named(j) = (i == 1 && j <= 7) || (i == 4 && j > 7) ? answers[j] : ""
  plot for [j = 1:13] file(i) using 3:(pick(i, answers[j], 6)) with linespoints lw 2 ps 0.5 \
    lc rgb colours[j] title named(j)
}
unset multiplot
