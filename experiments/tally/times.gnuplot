load 'experiments/tally/engines.gp'
set terminal svg size 1300,420 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.07, 0.83, 0.15, 0.83 spacing 0.07, 0 title "Times of single operations, uniform, M = 100 n (10 n for a million) (figure 6)"
set logscale xy
set format y "%.0s %cs"
set xrange [700:1400000]
set xlabel "items"
@legend_right
file = data.'times.csv'
pick(e, c) = stringcolumn(3) eq e ? column(c) * 1e-9 : NaN
do for [p = 1:3] {
  set title word("read write rebuild", p)
  plot for [j = 1:(p == 3 ? 2 : 3)] file using 1:(pick(engines[j], 1 + 3 * p)) with linespoints lw 2 \
    lc rgb colours[j] title engines[j]
  unset key
}
unset multiplot
