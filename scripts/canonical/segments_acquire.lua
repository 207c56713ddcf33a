-- Takes several segments of one thing at once, or none of them.
--
--   KEYS     the segments        ARGV[1]  a token that nobody else uses
--                                ARGV[2]  how long to hold them, in milliseconds
--
-- Returns 0 when all of them are yours; otherwise the longest that one of their present holders has
-- left, in milliseconds (-1 when one has no end).
--
-- Guarantees: of any two tokens whose segments overlap, at most one holds them. Since all are taken in
-- one step, clients cannot block each other half-way, in whatever order they name the segments.
-- Segments that the token holds already start anew, so a claim may grow. Clients whose segments do
-- not overlap do not notice each other. A client that asks for many segments may wait long while
-- others come and go on single ones.

local wait = 0
for _, key in ipairs(KEYS) do
    local holder = redis.call('GET', key)
    if holder and holder ~= ARGV[1] then
        local left = redis.call('PTTL', key)
        if left < 0 then
            return -1
        end
        wait = math.max(wait, left, 1)
    end
end
if wait > 0 then
    return wait
end
for _, key in ipairs(KEYS) do
    redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
end
return 0
