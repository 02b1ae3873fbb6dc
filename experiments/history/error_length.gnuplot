load 'experiments/history/methods.gp'
set terminal svg size 1100,460 font 'sans,13' background '#ffffff'
set multiplot layout 1,4 title "Error over the length of questions, 50 million bits (figure 9); 1e-5 stands for none in 50 000"
set logscale y
set format y "%g"
set yrange [7e-6:1.4]
set logscale x 2
set xrange [12:11000]
set xlabel "ticks asked for"
set ylabel "chance of a wrong maybe"
file = data.'error_length.csv'
least(e) = e > 1e-5 ? e : 1e-5
pick(s, m) = stringcolumn(1) eq s && stringcolumn(5) eq m && stringcolumn(6) eq "seen" ? \
  least(column(7)) : NaN
array sets[4] = ["edgar dense", "edgar bursty", "edgar uniform", "network diurnal"]
do for [i = 1:4] {
  s = sets[i]
  set title s
  if (i == 2) { set key bottom left samplen 1 spacing 0.9 } else { unset key }
  plot for [j = 1:9] file using 3:(pick(s, methods[j])) with linespoints lw 2 ps 0.5 \
    lc rgb colours[j] title methods[j]
  unset ylabel
}
unset multiplot
