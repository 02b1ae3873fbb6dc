load 'experiments/recency/answers.gp'
set multiplot layout 2,3 margins 0.05, 0.98, 0.08, 0.9 spacing 0.05, 0.15 title "Generalized filter: penalty of the inferential answer over the standard one's, each at its best k (figure 10 a, c, e)"
set yrange [0:*]
unset key
# The rows of both answers of one memory, side by side.
rows(i) = "< awk -F, '$1 == \"".names[i]."\" && $2 == ".windows[i]." { \
  if ($4 == \"generalized\") s[$3] = $6; if ($4 == \"generalized inferential\") print $3 \",\" $6 / s[$3] }' ".file(i)
do for [i = 1:6] {
  set title panel(i)
  plot rows(i) using 1:2 with linespoints lw 2 ps 0.5 lc rgb colours[7], \
    1 lc rgb "#000000"
}
unset multiplot
