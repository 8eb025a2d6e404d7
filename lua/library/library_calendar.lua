-- library_calendar.lua -- the table `calendar`: dates, times of day and time windows, computed from
-- seconds since 1970 and hours east of UTC. Days are those of the proleptic Gregorian calendar,
-- without leap seconds. No time zone database is used, because decisions must not depend on one;
-- a policy must handle summer time itself.
--
-- All functions compute with whole numbers below 2^53, so they are exact. Errors name the function
-- and the caller's line (lua_state.c finds that line).
local tools, _, math = ...
local type = tools.type
local floor, refuse, whole_number = math.floor, tools.refuse, tools.whole_number

local DAY = 86400
local LATEST = 1e11 -- seconds, the year 5138: a larger time was given in milliseconds

-- Returns the local time in seconds, and by how many seconds it is ahead of UTC.
local function local_time(what, now, east)
    if type(now) ~= "number" or not (now >= -LATEST and now <= LATEST) then
        refuse(what, "a time in seconds since 1970", now)
    end
    if east == nil then return now, 0 end
    if type(east) ~= "number" or not (east >= -24 and east <= 24) then
        refuse(what, "hours east of UTC from -24 to 24", east)
    end
    return now + east * 3600, east * 3600
end

local function digit(text, at)
    local byte = tools.byte(text, at)
    return byte and byte >= 48 and byte <= 57 and byte - 48 or nil
end

-- Converts "8:00" or "08:00" to seconds since midnight; with is_end, "24:00" is allowed, too.
local function clock(what, text, is_end)
    local n = type(text) == "string" and tools.len(text) or 0
    if n == 4 or n == 5 then
        local tens, ones = n == 5 and digit(text, 1) or 0, digit(text, n - 3)
        local minutes, minute = digit(text, n - 1), digit(text, n)
        local is_digits = ones and minutes and minute and (n == 4 or digit(text, 1))
        if is_digits and tools.byte(text, n - 2) == 58 and minutes < 6 then
            local seconds = (tens * 10 + ones) * 3600 + (minutes * 10 + minute) * 60
            if seconds < DAY or (is_end and seconds == DAY) then return seconds end
        end
    end
    refuse(what, 'a time of day such as "08:00"', text)
end

-- Returns 1 for Monday to 7 for Sunday; day 0 was a Thursday.
local function weekday_of(day)
    return (day + 3) % 7 + 1
end

-- Returns year, month and day of month of a day since 1970. Internally, years begin in March, so
-- that the additional day of a leap year is its last day. There are 719468 days from March 1st of
-- year 0 to 1970.
local function date_of(day)
    local shifted = day + 719468
    local era = floor(shifted / 146097) -- 400 years
    local of_era = shifted - era * 146097
    local year = floor((of_era - floor(of_era / 1460) + floor(of_era / 36524)
        - floor(of_era / 146096)) / 365)
    local of_year = of_era - (365 * year + floor(year / 4) - floor(year / 100))
    local month = floor((5 * of_year + 2) / 153)
    local of_month = of_year - floor((153 * month + 2) / 5) + 1
    if month < 10 then return era * 400 + year, month + 3, of_month end
    return era * 400 + year + 1, month - 9, of_month
end

-- Returns the day since 1970 of a year, month and day of month: the inverse of date_of.
local function day_of(year, month, of_month)
    if month <= 2 then year = year - 1 end
    local era = floor(year / 400)
    local of_era = year - era * 400
    local shifted = month > 2 and month - 3 or month + 9
    local of_year = floor((153 * shifted + 2) / 5) + of_month - 1
    return era * 146097 + of_era * 365 + floor(of_era / 4) - floor(of_era / 100) + of_year - 719468
end

local function is_between(t, from, to)
    if from < to then return t >= from and t < to end
    return t >= from or t < to
end

local calendar = {}

function calendar.hour(now, east)
    local t = local_time("calendar.hour", now, east)
    return floor(t / 3600) % 24
end

function calendar.minute(now, east)
    local t = local_time("calendar.minute", now, east)
    return floor(t / 60) % 60
end

function calendar.weekday(now, east)
    local t = local_time("calendar.weekday", now, east)
    return weekday_of(floor(t / DAY))
end

function calendar.day_of_month(now, east)
    local t = local_time("calendar.day_of_month", now, east)
    local _, _, of_month = date_of(floor(t / DAY))
    return of_month
end

function calendar.month(now, east)
    local t = local_time("calendar.month", now, east)
    local _, month = date_of(floor(t / DAY))
    return month
end

function calendar.year(now, east)
    local t = local_time("calendar.year", now, east)
    local year = date_of(floor(t / DAY))
    return year
end

function calendar.is_weekday(now, east)
    local t = local_time("calendar.is_weekday", now, east)
    return weekday_of(floor(t / DAY)) <= 5
end

-- True from time of day `from` until just before `to`. If `to` is the earlier one, the window
-- includes midnight.
function calendar.in_window(now, from, to, east)
    local t = local_time("calendar.in_window", now, east)
    local first, last = clock("calendar.in_window", from), clock("calendar.in_window", to, true)
    if first == last then
        refuse("calendar.in_window", 'two times that differ ("00:00" to "24:00" is all day)', from)
    end
    return is_between(t % DAY, first, last)
end

-- True from Monday to Friday, 08:00 to 18:00.
function calendar.working_hours(now, east)
    local t = local_time("calendar.working_hours", now, east)
    return weekday_of(floor(t / DAY)) <= 5 and is_between(t % DAY, 8 * 3600, 18 * 3600)
end

-- True from 20:00 to 06:00.
function calendar.night(now, east)
    local t = local_time("calendar.night", now, east)
    return is_between(t % DAY, 20 * 3600, 6 * 3600)
end

-- Returns the next time after `now` at which the time of day is `at`, in seconds since 1970; with
-- `weekday`, the next such time on that day of the week.
function calendar.next(now, at, east, weekday)
    local t, ahead = local_time("calendar.next", now, east)
    local day, days = floor(t / DAY), 0
    local begins = clock("calendar.next", at)
    if weekday ~= nil then
        whole_number("calendar.next", "a weekday from 1, Monday, to 7", weekday, 1, 7)
        days = (weekday - weekday_of(day)) % 7
    end
    local begin = (day + days) * DAY + begins
    if begin <= t then begin = begin + (weekday and 7 or 1) * DAY end
    return begin - ahead
end

-- Returns the seconds since 1970 of a date and a time of day.
function calendar.time(year, month, of_month, at, east)
    whole_number("calendar.time", "a year from 1970 to 5000", year, 1970, 5000)
    whole_number("calendar.time", "a month from 1 to 12", month, 1, 12)
    whole_number("calendar.time", "a day from 1 to 31", of_month, 1, 31)
    local day = day_of(year, month, of_month)
    local _, same = date_of(day)
    if same ~= month then refuse("calendar.time", "a day that its month has", of_month) end
    local _, ahead = local_time("calendar.time", 0, east)
    return day * DAY + clock("calendar.time", at) - ahead
end

return calendar
