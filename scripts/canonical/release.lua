-- Gives a lock back.
--
--   KEYS[1]  the lock            ARGV[1]  the token that took it
--   KEYS[2]  (optional) a channel on which waiting clients are told
--
-- Returns 1 when the lock was yours and is free now, 0 when it was not: it has ended by itself, and
-- may be someone else's by now.
--
-- Guarantees: never frees a lock that another token holds, however late it is called, because the
-- look and the deletion are one step. Waiters hear of it only after it is free.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
redis.call('DEL', KEYS[1])
if KEYS[2] then
    redis.call('PUBLISH', KEYS[2], ARGV[1])
end
return 1
