set terminal svg size 1300,420 font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.05, 0.81, 0.15, 0.83 spacing 0.055, 0 title "Memory over theta, n = 1000 (figure 7)"
set xlabel "theta"
@legend_right
file = data.'memory.csv'
pick(n, m, c) = column(1) == n && column(2) == m ? column(c) : NaN
do for [c = 5:6] {
  set title (c == 5 ? "spectral / dynamic, index of offsets" : "spectral / dynamic, index of lengths")
  set yrange [0:3]
  plot 1 with lines lc rgb "#999999" notitle, \
    for [i = 1:4] file using 3:(pick(1000, 10 ** i, c) / column(4)) with linespoints lw 2 ps 0.5 lc i \
      title sprintf("M = %d n", 10 ** i)
  unset key
}
set title "bits per item, M = 100 n"
set key at screen 0.99, 0.45 right top vertical Left reverse samplen 1.5
set yrange [0:250]
array names[4] = ["dynamic", "spectral, offsets", "spectral, lengths", "tally"]
array places[4] = [4, 5, 6, 8]
plot for [j = 1:4] file using 3:(pick(1000, 100, places[j])) with linespoints lw 2 ps 0.5 lc j title names[j]
unset multiplot
