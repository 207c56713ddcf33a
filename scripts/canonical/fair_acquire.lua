-- Takes a lock in the order of asking.
--
--   KEYS[1]  the lock            ARGV[1]  a token that nobody else uses
--   KEYS[2]  the queue           ARGV[2]  how long to hold the lock, in milliseconds
--   KEYS[3]  their patience      ARGV[3]  how long a place in the queue is kept without asking
--                                         again, in milliseconds
--
-- Returns 0 when the lock is yours; otherwise how many milliseconds to sleep at the most before
-- asking again. Whoever waits must ask again within its patience, or loses its place.
--
-- Guarantees: at most one token holds the lock, and those that keep asking get it in the order in
-- which they first asked. A waiter that died stands in the way for its patience and no longer. A
-- free lock is kept for the first in the queue, so it may stay free for up to that long. The queue
-- is a list; the sorted set KEYS[3] says until when each place is kept.

local lock, queue, patience = KEYS[1], KEYS[2], KEYS[3]
local token, hold, keep = ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local first = redis.call('LINDEX', queue, 0)
while first do
    local until_when = redis.call('ZSCORE', patience, first)
    if until_when and tonumber(until_when) >= now then
        break
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', patience, first)
    first = redis.call('LINDEX', queue, 0)
end

local holder = redis.call('GET', lock)
if holder == token or (not holder and (not first or first == token)) then
    if first == token then
        redis.call('LPOP', queue)
        redis.call('ZREM', patience, token)
    end
    redis.call('SET', lock, token, 'PX', hold)
    return 0
end

if not redis.call('ZSCORE', patience, token) then
    redis.call('RPUSH', queue, token)
end
redis.call('ZADD', patience, now + keep, token)
for _, key in ipairs({queue, patience}) do
    if redis.call('PTTL', key) < keep then
        redis.call('PEXPIRE', key, keep + 1)
    end
end

local left = holder and redis.call('PTTL', lock) or redis.call('ZSCORE', patience, first) - now
if left < 0 or left > keep then
    left = keep
end
return math.max(left, 1)
