set terminal svg size 1300,460 font 'sans,13' background '#ffffff'
set multiplot layout 1,2 margins 0.06, 0.83, 0.15, 0.85 spacing 0.07, 0 title "All engines, 5 % error, 100 of each item on average (logs: 8 to 88)"
set style data points
set xrange [-0.5:5.5]
set xtics rotate by 20 right ("flat" 0, "zipf 1.0" 1, "zipf 1.5" 2, "blog paths" 3, "blog clients" 4, "hut paths" 5)
set grid y
@legend_right
file = data.'engines.csv'
array engines[7] = ["exact map", "counting 16", "spectral", "dynamic", "tally 4", "tally 8", "rising tally 8"]
place(s) = s eq "flat" ? 0 : s eq "zipf 1.0" ? 1 : s eq "zipf 1.5" ? 2 : s eq "blog paths" ? 3 : s eq "blog clients" ? 4 : 5
pick(e, c) = stringcolumn(4) eq e ? column(c) : NaN
set title "million adds per second"
set logscale y
set yrange [0.1:150]
plot for [j = 1:7] file using (place(stringcolumn(1)) + 0.08 * (j - 4)):(pick(engines[j], 5)) pt 7 lc j title engines[j]
unset key
set yrange [30:1500]
set title "bits per item"
plot for [j = 1:7] file using (place(stringcolumn(1)) + 0.08 * (j - 4)):(pick(engines[j], 8)) pt 7 lc j title engines[j]
unset multiplot
