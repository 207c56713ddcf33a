# Redis.pm, from libredis-perl.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Redis;
use Test::More;
use Time::HiRes qw(sleep);

sub connect_redis { Redis->new(server => "127.0.0.1:$ENV{REDIS_PORT}", @_) }

my $redis = connect_redis();
my $unlock = q{
    if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
    return 0
};

sub put {
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
}

sub content {
    open my $file, '<', shift or return 0;
    return scalar <$file>;
}

# Each worker is a process; a counter in a file is read, and written after a pause. A directory
# stands for being inside, since only one can make it.
subtest 'SET NX PX and a compare-and-delete script exclude' => sub {
    my $place = tempdir(CLEANUP => 1);
    for my $worker (1 .. 4) {
        next if fork;
        my $own = connect_redis();
        my $sha = $own->script_load($unlock);
        for my $round (1 .. 10) {
            my $token = "$worker $round";
            sleep 0.001 until $own->set('lock', $token, 'NX', 'PX', 5000);
            put("$place/overlaps", 1) unless mkdir "$place/inside";
            my $seen = content("$place/counter");
            sleep 0.001;
            put("$place/counter", $seen + 1);
            rmdir "$place/inside";
            $own->evalsha($sha, 1, 'lock', $token) == 1 or put("$place/overlaps", 1);
        }
        kill KILL => $$;    # without running the parent's destructors
    }
    1 while wait != -1;
    is content("$place/counter"), 40, 'no count was lost';
    ok !-e "$place/overlaps", 'nobody met anybody inside';
};

subtest 'a stranger cannot unlock, and a lease ends' => sub {
    is $redis->set('lock', 'a', 'NX', 'PX', 500), 'OK';
    is $redis->set('lock', 'b', 'NX', 'PX', 500), undef;
    is $redis->eval($unlock, 1, 'lock', 'b'), 0;
    sleep 0.51;
    is $redis->set('lock', 'b', 'NX', 'PX', 500), 'OK';
};

subtest 'a script that is gone says so' => sub {
    my $sha = $redis->script_load($unlock);
    $redis->script_flush;
    ok !eval { $redis->evalsha($sha, 1, 'lock', 'b'); 1 };
    like $@, qr/NOSCRIPT No matching script/;
};

subtest 'a password, a name and a database' => sub {
    $redis->config_set('requirepass', 'secret');
    my $other = connect_redis(password => 'secret', name => 'mine');
    is $other->client_getname, 'mine';
    $other->select(5);
    $other->set('k', 'five');
    ok !eval { connect_redis(password => 'wrong'); 1 };
    $redis->config_set('requirepass', '');
    is $redis->get('k'), undef;
};

subtest 'transactions run whole, and give way when a watched key changes' => sub {
    $redis->multi;
    is $redis->set('n', 1), 'QUEUED';
    $redis->incr('n');
    is_deeply [$redis->exec], ['OK', 2];

    $redis->watch('n');
    connect_redis()->set('n', 'theirs');
    $redis->multi;
    $redis->set('n', 'mine');
    is $redis->exec, undef;
    is $redis->get('n'), 'theirs';
};

subtest 'messages arrive by channel and by pattern' => sub {
    my $subscriber = connect_redis();
    my @heard;
    $subscriber->subscribe('lock:a', sub { push @heard, [@_[0, 1]] });
    $subscriber->psubscribe('lock:*', sub { push @heard, [@_[0, 1]] });
    is $redis->publish('lock:a', 'free'), 2;
    $subscriber->wait_for_messages(1) while @heard < 2;
    is_deeply \@heard, [['free', 'lock:a'], ['free', 'lock:a']];
};

subtest 'pipelined calls answer in order' => sub {
    my @replies;
    $redis->set('n', 0);
    $redis->incr('n', sub { push @replies, $_[0] }) for 1 .. 100;
    $redis->wait_all_responses;
    is_deeply \@replies, [1 .. 100];
};

done_testing;
