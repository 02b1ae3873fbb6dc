load 'experiments/recency/answers.gp'
set multiplot layout 2,3 margins 0.05, 0.72, 0.08, 0.9 spacing 0.05, 0.15 title "Penalty as a share of the standard answer's (figure 9), cropped at 1.2: with the known prior the bursty stream with w = 256 lies at 3 to 16, age-partitioned at up to 96"
set yrange [0:1.2]
do for [i = 1:6] {
  set title panel(i)
  if (i == 1) { @legend_right } else { unset key }
  plot for [j in "2 3 4 5 6 13"] file(i) using 3:(pick(i, answers[j + 0], 7)) with linespoints lw 2 \
    ps 0.5 lc rgb colours[j + 0] title answers[j + 0], 1 lc rgb "#000000" notitle
}
unset multiplot
