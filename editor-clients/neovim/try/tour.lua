-- A walk through the sample in the real Neovim, printed: what editor-clients/try shows where nobody looks.
-- usage: cd SAMPLE/memory && nvim --clean --headless -l tour.lua CLIENT_FOLDER      exits 1 when a step shows nothing
local client_folder = assert(arg[1], 'usage: tour.lua CLIENT_FOLDER')
vim.opt.runtimepath:prepend(client_folder)
vim.lsp.config('memory_ls', { settings = { memoryLs = { provider = 'offline' } } }) -- nothing leaves this machine
vim.lsp.enable('memory_ls')
vim.opt.shortmess:append('FW') -- no word of what is read and written

local steps = 0

local function say(...)
  io.stdout:write(string.format(...), '\n')
end

local function fail(...)
  io.stderr:write('editor-clients/try: ', string.format(...), '\n')
  os.exit(1)
end

local function title(text)
  steps = steps + 1
  say('\n%d. %s', steps, text)
end

local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    fail('waited in vain for %s', what)
  end
end

---@param file string
---@return integer buffer
---@return vim.lsp.Client client
local function open(file)
  vim.cmd.edit(vim.fn.fnameescape(file))
  vim.bo.filetype = 'markdown'
  local buffer = vim.api.nvim_get_current_buf()
  local client
  wait('the server', function()
    client = vim.lsp.get_clients({ bufnr = buffer, name = 'memory_ls' })[1]
    return client ~= nil and client.initialized
  end)
  return buffer, client
end

---@return string line, integer column from 0: the first place where `text` stands, with the cursor behind `offset`
local function put_cursor(buffer, text, offset)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local at = line:find(text, 1, true)
    if at then
      vim.api.nvim_win_set_cursor(0, { number, at - 1 + (offset or 0) })
      return line, at - 1
    end
  end
  fail('%s is not in the sample any more', text)
  return '', 0
end

local function ask(buffer, client, method, more)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params = vim.tbl_extend('force', params, more or {})
  local answer = client:request_sync(method, params, 10000, buffer)
  if not answer or answer.err or not answer.result then
    fail('%s: no answer: %s', method, vim.inspect(answer))
  end
  return answer.result
end

local function indented(text, most)
  local lines = vim.split(text, '\n')
  for number, line in ipairs(lines) do
    if number > most then
      say('   …')
      break
    end
    say('   %s', line)
  end
end

local function file_of(uri)
  return vim.fs.relpath(vim.fn.getcwd(), vim.uri_to_fname(uri)) or uri
end

-- Every line of the buffer that something stands beside, with what stands there.
local function say_beside(buffer, beside)
  for _, row in ipairs(vim.fn.sort(vim.tbl_keys(beside), 'n')) do
    say('   %d  %s  « %s', row + 1, vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1], beside[row])
  end
end

local names = { 'error', 'warning', 'information', 'hint' }

title('Diagnostics: what is wrong in the directory, opened at its index')
local buffer, client = open('MEMORY.md')
say('   %s %s, positions in %s', client.server_info.name, client.server_info.version, client.offset_encoding)
wait('diagnostics', function()
  return #vim.diagnostic.get(buffer) > 0
end)
-- The costly rules come when the user pauses: wait until nothing new has come for a second.
local count, since = 0, vim.uv.now()
wait('the findings to settle', function()
  local now = #vim.diagnostic.get(nil)
  if now ~= count then
    count, since = now, vim.uv.now()
  end
  return vim.uv.now() - since > 1000
end)
local found = vim.diagnostic.get(nil)
table.sort(found, function(a, b)
  local first, second = vim.api.nvim_buf_get_name(a.bufnr), vim.api.nvim_buf_get_name(b.bufnr)
  if first ~= second then
    return first < second
  end
  return a.lnum < b.lnum
end)
for _, item in ipairs(found) do
  local name = vim.fs.relpath(vim.fn.getcwd(), vim.api.nvim_buf_get_name(item.bufnr)) or '?'
  say('   %s:%d  %s  %s', name, item.lnum + 1, names[item.severity], item.code)
end
if #found < 10 then
  fail('only %d findings', #found)
end

title('Hover: the memory behind a link')
buffer, client = open('seat-hold.md')
wait('diagnostics of seat-hold.md', function()
  return #vim.diagnostic.get(buffer) > 0
end)
say('   %s', (put_cursor(buffer, '](waitlist-order.md)', 4)))
indented(ask(buffer, client, 'textDocument/hover').contents.value, 9)

title('Completion: names of memories behind [[')
vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { 'See [[refund' })
put_cursor(buffer, 'See [[refund', #'See [[refund')
local answer = ask(buffer, client, 'textDocument/completion')
for number, item in ipairs(answer.items or answer) do
  if number <= 3 then
    say('   [[%s]]  %s', item.label, item.detail or '')
  end
end
if #(answer.items or answer) == 0 then
  fail('nothing to complete')
end
vim.cmd('silent undo')

title('Definition: from the link to the file')
put_cursor(buffer, '](waitlist-order.md)', 4)
local places = ask(buffer, client, 'textDocument/definition')
local place = vim.islist(places) and places[1] or places
say('   %s', vim.fs.basename(vim.uri_to_fname(place.targetUri or place.uri)))

title('References: who links to it')
local lines = {}
local without_itself = { context = { includeDeclaration = false } }
for _, reference in ipairs(ask(buffer, client, 'textDocument/references', without_itself)) do
  table.insert(lines, ('   %s:%d'):format(file_of(reference.uri), reference.range.start.line + 1))
end
table.sort(lines)
say('%s', table.concat(lines, '\n'))

title('Symbols: the outline of the index, and a search over all memories')
buffer, client = open('MEMORY.md')
local function say_symbols(symbols, indent, most)
  for number, symbol in ipairs(symbols) do
    if number > most then
      say('   %s…', indent)
      break
    end
    say('   %s%s', indent, symbol.name)
    say_symbols(symbol.children or {}, indent .. '  ', 2)
  end
end
say_symbols(ask(buffer, client, 'textDocument/documentSymbol'), '', 9)
local found_symbols = ask(buffer, client, 'workspace/symbol', { query = 'refund' })
for _, symbol in ipairs(found_symbols) do
  say('   refund: %s  %s', symbol.name, file_of(symbol.location.uri))
end
if #found_symbols == 0 then
  fail('no symbol found')
end

title('Code lenses: how many links lead to a memory')
buffer, client = open('waitlist-order.md')
local beside = {}
wait('code lenses', function()
  for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
    beside[lens.range.start.line] = lens.command and lens.command.title
  end
  return next(beside) ~= nil
end)
say_beside(buffer, beside)

title('Inlay hints: what a bare link leads to')
vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { '', '- [[refund-window]]', '- [[seat-hold]]' })
beside = {}
wait('inlay hints', function()
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local label = hint.inlay_hint.label
    beside[hint.inlay_hint.position.line] = type(label) == 'string' and label or label[1].value
  end
  return vim.tbl_count(beside) == 2
end)
say_beside(buffer, beside)
vim.cmd('silent undo')

title('The disk: what another program writes shows without reopening')
buffer, client = open('seat-hold.md')
local function wait_for_findings(count)
  wait(('%d findings in seat-hold.md'):format(count), function()
    return #vim.diagnostic.get(buffer) == count
  end)
end
wait_for_findings(1)
say('   %s', vim.diagnostic.get(buffer)[1].message)
local other = { '---', 'name: overbooking-limt', 'description: How many', 'type: project', '---', '', 'Two.' }
vim.fn.writefile(other, 'overbooking-limt.md')
wait_for_findings(0)
say('   another program writes overbooking-limt.md: the finding is gone')
vim.fn.delete('overbooking-limt.md')
wait_for_findings(1)
say('   and deletes it: the finding is there again')

title('Quick fix: a dead link is corrected, and its finding goes')
local line = put_cursor(buffer, '[[overbooking-limt]]', 4)
local row = vim.api.nvim_win_get_cursor(0)[1]
local finding = vim.diagnostic.get(buffer)[1]
local actions = ask(buffer, client, 'textDocument/codeAction', {
  range = vim.lsp.util.make_range_params(0, client.offset_encoding).range,
  context = { diagnostics = { finding.user_data.lsp }, triggerKind = 1 },
})
for _, action in ipairs(actions) do
  say('   %s %s', action.isPreferred and '*' or ' ', action.title)
end
local function carry_out(edit)
  _G.carry_out = function()
    vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
  end
  vim.cmd('silent lua carry_out()')
end
carry_out((actions[1].edit and actions[1] or client:request_sync('codeAction/resolve', actions[1], 10000, buffer).result).edit)
wait('the finding to go', function()
  return #vim.diagnostic.get(buffer) == 0
end)
say('   %s', line)
say('   %s', vim.api.nvim_buf_get_lines(buffer, row - 1, row, false)[1])
vim.cmd('silent write')

-- Every file below the current directory, with what it holds.
local function files()
  local texts = {}
  for name, kind in vim.fs.dir('.', { depth = 3 }) do
    if kind == 'file' then
      texts[name] = vim.fn.join(vim.fn.readfile(name, 'b'), '\n')
    end
  end
  return texts
end

local function say_changes(before)
  local after, count = files(), 0
  local names = vim.tbl_keys(vim.tbl_extend('keep', before, after))
  table.sort(names)
  for _, name in ipairs(names) do
    local old, new = before[name], after[name]
    if old ~= new then
      count = count + 1
      say('   %s  %s', not old and 'new    ' or not new and 'gone   ' or 'changed', name)
      for _, line in ipairs(old and new and vim.split(vim.diff(old, new, { ctxlen = 0 }), '\n') or {}) do
        if line:match('^[-+]') then
          say('            %s', line)
        end
      end
    end
  end
  if count == 0 then
    fail('nothing has changed')
  end
end

title('Rename: the memory, its file, every link to it and its line in the index, at once')
local before = files()
put_cursor(buffer, '[[overbooking-limit]]', 4)
carry_out(ask(buffer, client, 'textDocument/rename', { newName = '超售-limit' }))
vim.cmd('silent wall')
say_changes(before)

local function run(command, argument)
  local params = { command = 'memoryLs.' .. command, arguments = { argument } }
  local answer = client:request_sync('workspace/executeCommand', params, 20000, buffer)
  if not answer or answer.err then
    fail('memoryLs.%s: %s', command, vim.inspect(answer))
  end
  return answer.result
end

title('A new memory: written as its neighbours are, listed in the index, and kept in the journal')
before = files()
run('write', {
  name = 'ramp-letters',
  type = 'reference',
  description = 'Which letter is painted on which ramp: A is east',
  content = 'Ramp A is the eastern one; the letters go on westwards.',
})
say_changes(before)
for number, entry in ipairs(run('history', vim.empty_dict())) do
  if number <= 3 then
    say('   %s  %s  %s', entry.id, entry.source, entry.title)
  end
end

local function undo()
  say('   undone: %s', run('undo', vim.empty_dict()).title)
  if not vim.deep_equal(files(), before) then
    fail('not all is as it was before')
  end
  say('   all %d files are as they were before', vim.tbl_count(before))
end

title('Undo: the files are again what they were, to the byte')
undo()

title(':Memory consolidate: what a chat log holds, reviewed, saved in part, and taken back')
before = files()
vim.cmd.runtime('plugin/memory_ls.lua') -- with -l none is
local told = ''
vim.notify = function(text)
  told = text
  say('   %s', text)
end
local function wait_for_word(word)
  wait(('the word %s'):format(word), function()
    return vim.startswith(told, word)
  end)
end
vim.cmd.Memory('consolidate ../chats/claude-code-refund-window.jsonl')
wait('the review', function()
  return vim.bo.filetype == 'memory-ls-review'
end)
local function say_list()
  for _, text in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    say('   %s', text)
  end
end
say_list()
local function press(key)
  say('   press %s', key)
  vim.api.nvim_feedkeys(key, 'xt', false)
end
press('x') -- the first is rejected
press('s')
wait_for_word('Saved')
say_changes(before)
vim.cmd.Memory('undo')
wait_for_word('Undone')
if not vim.deep_equal(files(), before) then
  fail('not all is as it was before')
end

client:stop()
wait('the server to stop', function()
  return client:is_stopped()
end)
say('\nThat was the tour. In a terminal, editor-clients/try opens the same directory for you.')
os.exit(0)
