set terminal svg size 1300,420 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.05, 0.76, 0.15, 0.83 spacing 0.045, 0 title "16 bits of the basic filter over the bits per cell of the optimized one, without and with two links per node (V1, section 4.3)"
@legend_right
set xrange [-0.05:1.25]
set yrange [0:3.5]
set xlabel "exponent z of Zipf's law"
file = data.'zipf_space.csv'
array names[3] = ["computed", "rounding down", "rounding up"]
pick(lambda, c) = column(2) == lambda && column(3) == 6 ? column(c) : NaN
do for [lambda in "0.5 0.9 0.95"] {
  set title "lambda = ".lambda
  plot for [j = 1:3] file using 1:(pick(lambda + 0, 2 + 3 * j)) with linespoints lw 2 ps 0.5 lc j \
      title names[j], \
    for [j = 1:3] file using 1:(pick(lambda + 0, 3 + 3 * j)) with linespoints lw 2 ps 0.5 dt 2 lc j \
      title names[j].", linked", \
    1 with lines lc rgb "#999999" notitle
  unset key
}
unset multiplot
