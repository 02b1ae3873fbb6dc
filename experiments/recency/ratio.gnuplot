load 'experiments/recency/answers.gp'
set multiplot layout 2,3 title "Penalty as a share of the standard answer's (figure 9); the bursty stream breaks the known prior"
set yrange [0:1.2]
do for [i = 1:6] {
  set title panel(i)
  if (i == 1) { set key bottom left samplen 1 spacing 0.9 } else { unset key }
  plot for [j = 2:6] file(i) using 3:(pick(i, answers[j], 7)) with linespoints lw 2 ps 0.5 \
    lc rgb colours[j] title answers[j], 1 lc rgb "#000000" notitle
}
unset multiplot
