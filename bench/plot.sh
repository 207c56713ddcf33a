#!/bin/sh
# The plots of bench/run.sh, with gnuplot: bench/plot.sh RESULTS DIR
set -eu
results=$1
dir=$2

bench/table.awk "$results" | awk '
    /^server CPU/ { on = 1; next }
    on && NF == 0 { exit }
    on { gsub(/\( /, "("); print $1 "-P" $2, $6, $9 + 0 }' >"$dir/ratios.dat"
gnuplot <<END
set terminal svg size 900,420 font 'sans,12'
set output '$dir/cpu.svg'
set title 'Server CPU per operation, redis-server = 1'
set style data histograms
set style fill solid 0.8 border -1
set boxwidth 0.8
set yrange [0:1.2]
set grid ytics
set xtics rotate by -40 noenhanced
set key top left
plot 1 title 'redis-server' lc rgb '#888888', '$dir/ratios.dat' using 2:xtic(1) title 'latchd' lc rgb '#3366aa'
END
