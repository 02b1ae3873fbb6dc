load 'experiments/history/methods.gp'
shown = "1 13 2 3 4 5 6 7 14 8 9 10 11"
set terminal svg size 1300,460 font 'sans,13' background '#ffffff'
set multiplot layout 1,4 margins 0.07, 0.83, 0.15, 0.85 spacing 0.04, 0 title "Error over the length of queries, 50 million bits (figure 9); 1e-5 stands for none in 50 000"
set logscale y
set format y "%g"
set yrange [7e-6:1.4]
set logscale x 2
set xrange [12:11000]
set xtics (16, 128, 1024, 8192)
set xlabel "ticks of a query"
set ylabel "probability of a wrong maybe"
file = data.'error_length.csv'
least(e) = e > 1e-5 ? e : 1e-5
pick(s, m) = stringcolumn(1) eq s && stringcolumn(5) eq m ? \
  least(column(6)) : NaN
array sets[4] = ["edgar dense", "edgar bursty", "edgar uniform", "network diurnal"]
do for [i = 1:4] {
  s = sets[i]
  set title s
  if (i == 1) { @legend_right } else { unset key }
  plot for [j in shown] file using 3:(pick(s, methods[j + 0])) with linespoints lw 2 ps 0.5 \
    lc rgb colours[j + 0] title methods[j + 0]
  unset ylabel
}
unset multiplot
