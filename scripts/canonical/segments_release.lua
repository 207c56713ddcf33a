-- Gives segments back.
--
--   KEYS     the segments        ARGV[1]  the token that took them
--
-- Returns how many of them were still yours and are free now.
--
-- Guarantees: frees no segment that another token holds. Fewer than were taken means that the
-- time was over for some, and the work under them was not protected to its end.

local mine = {}
for _, key in ipairs(KEYS) do
    if redis.call('GET', key) == ARGV[1] then
        mine[#mine + 1] = key
    end
end
for _, key in ipairs(mine) do
    redis.call('DEL', key)
end
return #mine
