<?php
require __DIR__ . '/harness.php';
require 'Predis/autoload.php';

class Unlock extends Predis\Command\ScriptCommand
{
    protected function getKeysCount()
    {
        return 1;
    }

    public function getScript()
    {
        return COMPARE_AND_DELETE;
    }
}

function connect(array $options = []): Predis\Client
{
    $address = ['host' => '127.0.0.1', 'port' => port()] + $options;
    return new Predis\Client($address, [
        'profile' => function ($options) {
            $profile = Predis\Profile\Factory::getDefault();
            $profile->defineCommand('unlock', Unlock::class);
            return $profile;
        },
    ]);
}

$redis = connect();

check('SET NX PX and a compare-and-delete script exclude', fn () => exclusive(function (callable $work) {
    $redis = connect();
    for ($i = 0; $i < 10; $i++) {
        $token = getmypid() . " $i";
        while (!$redis->set('lock', $token, 'PX', 5000, 'NX')) {
            usleep(1000);
        }
        $work();
        same(1, $redis->unlock('lock', $token));
    }
}));

check('a stranger cannot unlock, and scripts that are gone are loaded again', function () use ($redis) {
    $redis->script('flush');
    $redis->set('lock', 'mine', 'PX', 5000);
    same(0, $redis->unlock('lock', 'yours'));
    same(1, $redis->unlock('lock', 'mine'));
});

check('a password and a database', function () use ($redis) {
    $redis->config('SET', 'requirepass', 'secret');
    connect(['password' => 'secret', 'database' => 5])->set('k', 'five');
    $redis->config('SET', 'requirepass', '');
    same(null, $redis->get('k'));
    same('five', connect(['database' => 5])->get('k'));
});

check('optimistic transactions lose no update', function () use ($redis) {
    $redis->set('n', 0);
    for ($i = 0; $i < 4; $i++) {
        if (pcntl_fork() === 0) {
            $client = connect();
            for ($round = 0; $round < 10; $round++) {
                $client->transaction(['cas' => true, 'watch' => 'n', 'retry' => 1000], function ($transaction) {
                    $seen = $transaction->get('n');
                    $transaction->multi();
                    $transaction->set('n', $seen + 1);
                });
            }
            posix_kill(getmypid(), SIGKILL);
        }
    }
    while (pcntl_wait($status) > 0);
    same('40', $redis->get('n'));
});

check('messages arrive by channel and by pattern', function () use ($redis) {
    $loop = connect(['read_write_timeout' => 5])->pubSubLoop();
    $loop->subscribe('lock:a');
    $loop->psubscribe('lock:*');
    $heard = [];
    foreach ($loop as $message) {
        if ($message->kind === 'psubscribe') {
            same(2, $redis->publish('lock:a', 'free'));
        } elseif ($message->kind !== 'subscribe') {
            $heard[] = [$message->kind, $message->payload];
            if (count($heard) === 2) {
                $loop->stop(true);
                break;
            }
        }
    }
    same([['message', 'free'], ['pmessage', 'free']], $heard);
});

check('pipelines answer in order', function () use ($redis) {
    $replies = $redis->pipeline(fn ($pipe) => $pipe->set('n', 1)->incr('n')->get('n'));
    same(['OK', 2, '2'], [(string) $replies[0], $replies[1], $replies[2]]);
});

check('a scan meets every key', function () use ($redis) {
    $redis->flushall();
    $redis->mset(array_combine(array_map(fn ($i) => "lock:$i", range(1, 300)), range(1, 300)));
    $keys = iterator_to_array(new Predis\Collection\Iterator\Keyspace($redis, 'lock:*'), false);
    same(300, count(array_unique($keys)));
});
