load 'experiments/recency/answers.gp'
set multiplot layout 2,3 title "The best k (figure 8); of a buffer, bits of a fingerprint"
set yrange [0:*]
do for [i = 1:6] {
  set title panel(i)
  if (i == 1) { set key top left samplen 1 spacing 0.9 } else { unset key }
  plot for [j in "1 2 3 5 7 9"] file(i) using 3:(pick(i, answers[j + 0], 5)) with linespoints \
    lw 2 ps 0.5 lc rgb colours[j + 0] title answers[j + 0]
}
unset multiplot
