-- The whole road as a person walks it: a Neovim of its own with a screen, in which keys are typed, and nothing of which
-- is replaced. See spec.lua for how to run it.
local spec = dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'spec.lua'))
local ok, wait, write = spec.ok, spec.wait, spec.write

local project = vim.fs.joinpath(spec.work, 'project')
local memory = vim.fs.joinpath(project, '.claude', 'memory')
write(vim.fs.joinpath(project, '.git', 'HEAD'), '')
write(vim.fs.joinpath(memory, 'MEMORY.md'), { '- [Quay](quay.md) — 潮位' })
write(vim.fs.joinpath(memory, 'quay.md'), spec.memory('quay', 'The quay is open until nine. See [[quai]].'))
write(vim.fs.joinpath(project, 'chat.txt'), {
  'User: Hello.',
  '',
  'Assistant: Hello.',
  '',
  'User: Never paint the ramp green.',
  '',
  'Assistant: I see.',
  '',
  'User: 请记住：公告要中文和英文各写一份。',
  '',
  'Assistant: 好的。',
})
write(vim.fs.joinpath(spec.work, 'init.lua'), {
  ('vim.opt.runtimepath:append(%q)'):format(arg[1]),
  "vim.lsp.config('memory_ls', { settings = { memoryLs = { provider = 'offline' } } })",
  "vim.lsp.enable('memory_ls')",
})

-- ---- the other Neovim

local command = { vim.v.progpath, '--embed', '--headless', '-n', '-u', vim.fs.joinpath(spec.work, 'init.lua') }
local other = vim.fn.jobstart(command, { rpc = true, cwd = project })
ok(other > 0, 'a Neovim with a screen starts')

local function lua(code)
  return vim.rpcrequest(other, 'nvim_exec_lua', code, {})
end

lua('vim.o.columns, vim.o.lines = 100, 40')

-- What is on its screen; nothing while it waits for a key and answers nothing else.
local function screen()
  if vim.rpcrequest(other, 'nvim_get_mode').blocking then
    return ''
  end
  return lua([[
    vim.cmd('redraw!')
    local lines = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do
        table.insert(cells, vim.fn.screenstring(row, column))
      end
      table.insert(lines, (table.concat(cells):gsub('%s+$', '')))
    end
    return table.concat(lines, '\n')
  ]])
end

local function types(keys)
  vim.rpcrequest(other, 'nvim_input', keys)
end

local function shows(...)
  for _, text in ipairs({ ... }) do
    wait(('the screen shows: %s'):format(text), function()
      return screen():find(text, 1, true) ~= nil
    end, function()
      return vim.split(screen(), '\n')
    end)
  end
end

local function text_of(file)
  local found = io.open(vim.fs.joinpath(memory, file), 'rb')
  return found and found:read('*a') or nil
end

-- ---- from the empty buffer to a memory that is mended

types(':Memory check<CR>')
shows('quay.md|7 col', '[link-dead]', 'Memory check')
types('<CR>:cclose<CR>')
shows('See [[quai]].')
wait('the file that is opened gets the server', function()
  return lua('return #vim.diagnostic.get(0) > 0')
end)
types('gra')
shows('2: Remove the link and keep its words')
types('2<CR>')
shows('See quai.')
types(':write<CR>')
wait('the quick fix mends the link', function()
  return text_of('quay.md'):find('See quai.', 1, true) ~= nil
end, function()
  return { text_of('quay.md'), vim.split(screen(), '\n') }
end)

-- ---- from a chat log to a memory

types(':Memory consolidate cha<Tab><CR>')
shows('✓ add never-paint-ramp-green', 'message 3: “Never paint the ramp green.”', '请记住：公告要中文和英文各写一份。')
shows('before (no file): never-paint-ramp-green.md', 'description: Never paint the ramp green')
types('/公告<CR>')
shows('after: 公告') -- the file of the change under the cursor
types('x')
shows('✗ add', '1 of 2')
types('gg/never<CR>a')
types('s')
wait('what was accepted is saved', function()
  return text_of('never-paint-ramp-green.md') ~= nil
end, function()
  return vim.split(screen(), '\n')
end)
shows('Saved: 1 added. :Memory undo takes it back.')
ok(not text_of('MEMORY.md'):find('公告', 1, true), 'what was rejected is not')
types(':Memory show never<Tab><CR>')
shows('## never-paint-ramp-green', 'Enter opens it')
types('<CR>')
shows('name: never-paint-ramp-green')
types(':Memory undo<CR>')
wait('one undo takes it back', function()
  return text_of('never-paint-ramp-green.md') == nil
end)
ok(text_of('quay.md'):find('See quai.', 1, true), 'and nothing else')

-- ---- a memory of one's own, and away with it

types(':Memory new tide-table<CR>')
shows('4: reference  where something is found')
types('4<CR>')
shows('Description, one line:')
types('Where the tides are told<CR>')
shows('name: tide-table', 'description: Where the tides are told', 'type: reference')
types('oIn the office.<Esc>:write<CR>')
wait('it is written on', function()
  return (text_of('tide-table.md') or ''):find('In the office.', 1, true) ~= nil
end)
types(':Memory delete tide<Tab><CR>')
shows('Delete tide-table (Where the tides are told)?', '1: Delete it')
types('1<CR>')
wait('it is deleted', function()
  return text_of('tide-table.md') == nil
end)
types(':Memory history<CR>')
shows('Which change?', 'Delete tide-table')
types('1<CR>')
shows('-In the office.', 'u: undo this')
types('u')
wait('and is back', function()
  return text_of('tide-table.md') ~= nil
end)
types(':Memory status<CR>')
shows('2 memories', 'provider: offline')
types('q')

-- ---- who writes on while a chat log is read

types(':enew<CR>:Memory! consolidate chat.txt<CR>iWritten meanwhile')
wait('the log is read', function()
  return lua("return vim.fn.execute('messages')"):find('The chat log is read', 1, true) ~= nil
end)
shows('Written meanwhile', '-- INSERT --')
types('<Esc>')
shows('The chat log is read: :Memory review shows what is found.')
types(':qall!<CR>')
wait('Neovim ends', function()
  return vim.fn.jobwait({ other }, 0)[1] ~= -1
end)

spec.finish()
