-- Gives a fair lock back.
--
--   KEYS[1]  the lock            ARGV[1]  the token that took it
--   KEYS[2]  the queue           ARGV[2]  (optional) the beginning of the names of channels:
--                                         the next in the queue is told on ARGV[2] .. its token
--
-- Returns 1 when the lock was yours and is free now, 0 when it was not.
--
-- Guarantees: never frees a lock that another token holds. Only the first in the queue is told, so
-- a release wakes one client and not all of them.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
    return 0
end
redis.call('DEL', KEYS[1])
local first = redis.call('LINDEX', KEYS[2], 0)
if first and ARGV[2] then
    redis.call('PUBLISH', ARGV[2] .. first, ARGV[1])
end
return 1
