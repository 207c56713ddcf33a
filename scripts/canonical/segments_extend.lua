-- Prolongs several segments, or none of them.
--
--   KEYS     the segments        ARGV[1]  the token that took them
--                                ARGV[2]  how long to hold them from now, in milliseconds
--
-- Returns 1 when all of them are yours until then, 0 when one of them is not yours any more; then
-- all keep the end they had.
--
-- Guarantees: 1 means that the token has held every one of them without a gap.

for _, key in ipairs(KEYS) do
    if redis.call('GET', key) ~= ARGV[1] then
        return 0
    end
end
for _, key in ipairs(KEYS) do
    redis.call('PEXPIRE', key, ARGV[2])
end
return 1
