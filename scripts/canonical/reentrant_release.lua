-- Gives back one hold of a reentrant lock.
--
--   KEYS[1]  the lock            ARGV[1]  the owner
--   KEYS[2]  (optional) a channel on which waiting clients are told
--
-- Returns how many holds are left; at 0 the lock is free. Returns -1 when the lock is not yours.
--
-- Guarantees: takes from nobody else, and leaves the end of the remaining holds where it was. A lock
-- that ended by itself answers -1, also if it had several holds.

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
    return -1
end
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if left > 0 then
    return left
end
redis.call('DEL', KEYS[1])
if KEYS[2] then
    redis.call('PUBLISH', KEYS[2], ARGV[1])
end
return 0
