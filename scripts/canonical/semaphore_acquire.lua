-- Takes one of a limited number of permits, or prolongs it.
--
--   KEYS[1]  the semaphore       ARGV[1]  a token that nobody else uses
--                                ARGV[2]  how many permits there are
--                                ARGV[3]  how long to hold it, in milliseconds
--
-- Returns 0 when a permit is yours until then; otherwise in how many milliseconds the first permit
-- ends by itself.
--
-- Guarantees: as long as all clients name the same number, no more tokens than that hold a permit
-- at any moment, counted by the server's clock alone. A token holds one permit; asking again starts
-- its time anew. Permits end one by one, each at its own time. A smaller number takes no
-- permit away, it only lets nobody in until enough have ended. No order among those who wait.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local hold = tonumber(ARGV[3])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now))
local held = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not held and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
    local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    return first[2] and first[2] - now + 1 or -1
end
redis.call('ZADD', KEYS[1], now + hold, ARGV[1])
if redis.call('PTTL', KEYS[1]) < hold then
    redis.call('PEXPIRE', KEYS[1], hold + 1)
end
return 0
