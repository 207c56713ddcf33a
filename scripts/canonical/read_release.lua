-- Ends reading under a read-write lock.
--
--   KEYS[1]  the readers         ARGV[1]  the token that took it
--   KEYS[2]  (optional) a channel on which waiting clients are told when no reader is left
--
-- Returns 1 when it was reading, 0 when it was not.
--
-- Guarantees: ends no other reader and no writer. A reader whose time was over is told 0 only once
-- its entry is gone; what it read until its end was safe.

local was = redis.call('ZREM', KEYS[1], ARGV[1])
if was == 1 and KEYS[2] and redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call('PUBLISH', KEYS[2], ARGV[1])
end
return was
