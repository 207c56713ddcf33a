-- Gives a permit back.
--
--   KEYS[1]  the semaphore       ARGV[1]  the token that took it
--   KEYS[2]  (optional) a channel on which waiting clients are told
--
-- Returns 1 when the permit was yours, 0 when it was not or had ended.
--
-- Guarantees: frees no permit but the token's own, and that one at most once.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not held then
    return 0
end
redis.call('ZREM', KEYS[1], ARGV[1])
if tonumber(held) < now then
    return 0
end
if KEYS[2] then
    redis.call('PUBLISH', KEYS[2], ARGV[1])
end
return 1
