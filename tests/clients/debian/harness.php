<?php
// What both PHP clients need: cases that print TAP, and the proof that a lock excludes.

function check(string $what, callable $case): void
{
    static $n = 0;
    $n++;
    try {
        $case();
        fwrite(STDOUT, "ok $n - $what\n"); // not echo, after which sessions cannot start
    } catch (Throwable $problem) {
        fwrite(STDOUT, "not ok $n - $what\n# " . str_replace("\n", "\n# ", $problem) . "\n");
    }
}

function same(mixed $expected, mixed $actual): void
{
    if ($expected !== $actual) {
        throw new Exception('expected ' . var_export($expected, true) . ', got ' . var_export($actual, true));
    }
}

function port(): int
{
    return (int) getenv('REDIS_PORT');
}

const COMPARE_AND_DELETE = <<<'LUA'
    if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
    return 0
    LUA;

// Work that goes wrong when two processes do it at once: a counter in a file is read, and written after
// a pause. A directory stands for being inside, since only one can make it.
function work(string $place): void
{
    if (!@mkdir("$place/inside")) {
        file_put_contents("$place/overlaps", "x", FILE_APPEND);
    }
    $seen = (int) file_get_contents("$place/counter");
    usleep(1000);
    file_put_contents("$place/counter", $seen + 1);
    @rmdir("$place/inside");
}

// $worker(callable $work) takes the lock round each of ten pieces of work, over a connection of its own.
function exclusive(callable $worker): void
{
    $place = sys_get_temp_dir() . '/latchd-' . getmypid();
    mkdir($place);
    file_put_contents("$place/counter", 0);
    file_put_contents("$place/overlaps", '');
    for ($i = 0; $i < 4; $i++) {
        if (pcntl_fork() === 0) {
            $worker(fn () => work($place));
            posix_kill(getmypid(), SIGKILL); // without running the parent's destructors
        }
    }
    while (pcntl_wait($status) > 0);
    [$counter, $overlaps] = [(int) file_get_contents("$place/counter"), file_get_contents("$place/overlaps")];
    array_map('unlink', glob("$place/*"));
    rmdir($place);
    same('', $overlaps);
    same(40, $counter);
}
