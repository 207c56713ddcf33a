-- Takes a read-write lock for writing, or prolongs it.
--
--   KEYS[1]  the writer          ARGV[1]  a token that nobody else uses
--   KEYS[2]  the readers         ARGV[2]  how long to hold it, in milliseconds
--
-- Returns 0 when the lock is yours for writing; otherwise how many milliseconds until the writer, or
-- the last of the readers, ends by itself (-1 when the writer has no end).
--
-- Guarantees: while a token writes, no other token reads or writes. A token that is the only reader
-- may go on to write; of two readers that both want to, neither can until the other stops reading.

local writer = redis.call('GET', KEYS[1])
if writer and writer ~= ARGV[1] then
    local left = redis.call('PTTL', KEYS[1])
    return left == 0 and 1 or left
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. string.format('%.0f', now))
local last = redis.call('ZREVRANGE', KEYS[2], 0, 1, 'WITHSCORES')
for i = 1, #last, 2 do
    if last[i] ~= ARGV[1] then
        return last[i + 1] - now + 1
    end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 0
