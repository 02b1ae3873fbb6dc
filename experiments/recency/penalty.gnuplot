load 'experiments/recency/answers.gp'
set multiplot layout 2,3 title "Mean penalty of a question, each filter at its best k (figure 11)"
set logscale y
set format y "%g"
do for [i = 1:6] {
  set title panel(i)
  if (i == 1) { set key bottom left samplen 1 spacing 0.9 } else { unset key }
  plot for [j = 1:10] file(i) using 3:(pick(i, answers[j], 6)) with linespoints lw 2 ps 0.5 \
    lc rgb colours[j] title answers[j]
}
unset multiplot
