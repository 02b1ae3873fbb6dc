load 'experiments/recency/answers.gp'
set multiplot layout 2,3 margins 0.05, 0.73, 0.08, 0.9 spacing 0.05, 0.15 title "Posterior error (equation 35; figures 9 and 10): 0.025 if all are 0 or 1 and right"
set logscale y
set yrange [0.0005:1]
set format y "%g"
do for [i = 1:6] {
  set title panel(i)
  if (i == 1) { @legend_right } else { unset key }
  plot for [j in "2 3 4 7 9 10 13"] file(i) using 3:(pick(i, answers[j + 0], 9)) with linespoints \
    lw 2 ps 0.5 lc rgb colours[j + 0] title answers[j + 0]
}
unset multiplot
