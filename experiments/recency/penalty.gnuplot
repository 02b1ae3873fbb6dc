load 'experiments/recency/answers.gp'
set multiplot layout 2,3 margins 0.05, 0.78, 0.08, 0.9 spacing 0.05, 0.15 title "Mean penalty of a question, each filter at its best k (figure 11)"
set logscale y
set format y "%g"
do for [i = 1:6] {
  set title panel(i)
  if (i == 1) { @legend_right } else { unset key }
  plot for [j = 1:13] file(i) using 3:(pick(i, answers[j], 6)) with linespoints lw 2 ps 0.5 \
    lc rgb colours[j] title answers[j]
}
unset multiplot
