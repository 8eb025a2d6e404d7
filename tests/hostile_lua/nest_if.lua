-- Ifs in ifs.
-- expect: load E_LIMIT nested more than 32 deep
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
if true then
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
end
return { api = 1 }
