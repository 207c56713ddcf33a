# Test::RedisServer, which starts whatever is called redis-server on the PATH.
use strict;
use warnings;
use Redis;
use Test::More;
use Test::RedisServer;

subtest 'it starts latchd on a unix socket and stops it' => sub {
    my $server = Test::RedisServer->new;
    my %where = $server->connect_info;
    my $redis = Redis->new(%where);
    ok $redis->info->{latchd_version};
    is $redis->set('lock', 'a', 'NX', 'PX', 1000), 'OK';
    $server->stop;
    ok !eval { Redis->new(%where); 1 };
};

subtest 'its options are those of a redis.conf' => sub {
    my $server = Test::RedisServer->new(conf => {databases => 3, requirepass => 'secret'}, auto_start => 0);
    $server->start;
    my $redis = Redis->new($server->connect_info, password => 'secret');
    is_deeply {$redis->config_get('databases')}, {databases => 3};
    $redis->config_set('requirepass', '');    # its stop() sends a command without it, and would give up
};

subtest 'several run at once' => sub {
    my @servers = map { Test::RedisServer->new } 1 .. 3;
    Redis->new($servers[0]->connect_info)->set('k', 'v');
    is(Redis->new($servers[1]->connect_info)->get('k'), undef);
};

done_testing;
