-- Commands of the server, from any buffer: starts it where none runs, shows how far it is, and tells what goes wrong.
local discover = require('memory_ls.discover')
local words = require('memory_ls.words')
local M = {}

local NAME = 'memory_ls'
local PATIENCE = 20000 -- milliseconds, for the server to start
local SOON = 20 -- milliseconds, between two looks at a server that starts
local TICK = 200 -- milliseconds, between two looks at the work under way
local HEALTH = ':checkhealth memory_ls tells why.'
-- What may be ended before it is done. The rest is over in a moment, or must not be left half done.
local CANCELLABLE = { extractAndConsolidate = true, prompts = true, check = true }

---@class memory_ls.Work a command under way
---@field token string
---@field command string
---@field title string? what it does
---@field text string? how far it is
---@field shown string? what of this the user sees
---@field client vim.lsp.Client?
---@field request integer?

local works = {} ---@type table<string, memory_ls.Work> by their tokens
local count = 0
local ticker ---@type uv.uv_timer_t?

-- ---- the work under way

---@return boolean whether the line for messages is free: nobody types a command there, or is asked something
local function is_free()
  local mode = vim.api.nvim_get_mode()
  return not mode.blocking and not mode.mode:find('^[cr]')
end

--- Tells how far the work is, in the line for messages.
---@param work memory_ls.Work
local function show(work)
  if not work.text or work.text == work.shown or not is_free() then
    return
  end
  work.shown = work.text
  local room = math.max(vim.v.echospace - #'memory-ls: ' - 1, 10) -- a longer one would ask for ENTER
  vim.api.nvim_echo({ { 'memory-ls: ' .. words.one_line(work.text, room) } }, false, {})
end

---@param work memory_ls.Work
---@return boolean whether it was still under way
local function finish(work)
  local was_there = works[work.token] ~= nil
  works[work.token] = nil
  if work.shown and is_free() then
    vim.api.nvim_echo({ { '' } }, false, {})
  end
  if ticker and next(works) == nil then
    ticker:close()
    ticker = nil
  end
  return was_there
end

-- Neovim forgets the requests of a server that dies, and answers none of them.
local function look()
  for _, work in pairs(works) do
    if work.client and work.client:is_stopped() then
      finish(work)
      words.fail('The server of memory-ls stopped in the middle: run the command again.')
    else
      show(work)
    end
  end
end

---@param command string
---@return memory_ls.Work
local function begin(command)
  count = count + 1
  local work = { token = ('memory-ls-command-%d'):format(count), command = command }
  works[work.token] = work
  if not ticker then
    ticker = assert(vim.uv.new_timer())
    ticker:start(TICK, TICK, vim.schedule_wrap(look))
  end
  return work
end

vim.api.nvim_create_autocmd('LspProgress', {
  group = vim.api.nvim_create_augroup('memory_ls_work', {}),
  callback = function(event)
    local value, work = event.data.params.value, works[event.data.params.token]
    if work and value.kind ~= 'end' then
      work.title = value.title or work.title
      work.text = value.message and ('%s: %s'):format(work.title, value.message) or work.title .. ' …'
    end
  end,
})

--- Ends what takes long.
---@return boolean whether there was such work
function M.cancel()
  local ended = false
  for _, work in pairs(works) do
    if CANCELLABLE[work.command] then
      finish(work)
      if work.client and work.request then
        work.client:cancel_request(work.request)
      end
      ended = true
    end
  end
  return ended
end

-- ---- the server

--- Gives a server that a command has started the files that are open already, as one that stopped has left them.
---@param client vim.lsp.Client
local function attach_open_files(client)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local is_file = vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == ''
    if is_file and vim.bo[buffer].filetype == 'markdown' and discover.of_buffer(buffer) then
      vim.lsp.buf_attach_client(buffer, client.id)
    end
  end
end

---@return string? why the server can't be started
local function obstacle()
  local config = vim.lsp.config[NAME]
  if not config then
    return 'lsp/memory_ls.lua is not on the runtime path: see :help memory-ls-install.'
  end
  local command = config.cmd
  if type(command) == 'table' and vim.fn.executable(command[1]) == 0 then
    return ('There is no program `%s`: see :help memory-ls-install.'):format(command[1])
  end
end

---@return vim.lsp.Client? a running client, which hears of the project here; where none runs, one is started
local function client_here()
  local here = vim.fn.getcwd()
  local around = discover.of_buffer(0) or discover.around(here)
  local folder = discover.project_of(around or here)
  local running = vim.lsp.get_clients({ name = NAME })[1]
  if running and not around and vim.fs.relpath(folder, vim.uv.os_homedir() or '/') then
    return running -- the home directory is no project, and holds those of many
  end
  local config = vim.tbl_extend('force', vim.lsp.config[NAME], { name = NAME, root_dir = folder })
  local started, id = pcall(vim.lsp.start, config, { attach = false, reuse_client = config.reuse_client })
  local client = started and id and vim.lsp.get_client_by_id(id) or nil
  if client and not running and vim.lsp.is_enabled(NAME) then
    attach_open_files(client)
  end
  return client
end

---@param on_client fun(client: vim.lsp.Client?, why: string?)
local function connect(on_client)
  local why = obstacle()
  local client = not why and client_here() or nil
  local since = vim.uv.now()
  local function wait()
    if client and client.initialized and not client:is_stopped() then
      on_client(client)
    elseif not client or client:is_stopped() or vim.uv.now() - since > PATIENCE then
      on_client(nil, why or 'The server does not start: ' .. HEALTH)
    else
      vim.defer_fn(wait, SOON)
    end
  end
  wait()
end

-- ---- commands

---@param problem lsp.ResponseError
---@return string what went wrong and what to do, in the words of this client
local function sentence(problem)
  local data = type(problem.data) == 'table' and problem.data or {}
  local hint = data.kind == 'noDirectory' and ':Memory init makes one.' or data.hint or ''
  hint = hint:gsub('memoryLs%.plans', ':Memory review'):gsub('memoryLs%.(%l+)', ':Memory %1')
  return vim.trim(words.one_line(problem.message) .. ' ' .. words.one_line(hint))
end

--- Asks the user which of several is meant, where that is what is wrong with an argument.
---@param argument table
---@param problem lsp.ResponseError
---@param again fun(argument: table)
---@return boolean whether the user is asked
local function ask_which(argument, problem, again)
  local data = type(problem.data) == 'table' and problem.data or {}
  local choices = type(data.choices) == 'table' and data.choices or {}
  if #choices == 0 then
    return false
  end
  if data.key == 'directory' and not argument.directory then
    words.pick(choices, 'Which memory directory?', function(directory)
      return { words.path(directory, words.room()) }
    end, function(directory)
      again({ directory = directory })
    end)
    return true
  elseif data.key == 'name' and type(choices[1]) == 'table' then
    words.pick(choices, ('Which memory is %s?'):format(argument.name), function(memory)
      local file = words.path(vim.fs.joinpath(memory.directory, memory.path), 40)
      return { words.one_line(memory.name, 40), memory.type or '', file }
    end, function(memory)
      again({ name = './' .. memory.path, directory = memory.directory })
    end)
    return true
  end
  return false
end

---@param value any an answer
---@return any the same with nothing where JSON has null, as Neovim 0.11 gives it; later ones give vim.NIL
local function without_null(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) == 'table' then
    for key, inner in pairs(value) do
      value[key] = without_null(inner)
    end
  end
  return value
end

---@param command string without 'memoryLs.'
---@param argument table
---@param token string?
---@return table params
local function params_of(command, argument, token)
  return {
    command = 'memoryLs.' .. command,
    arguments = { next(argument) and argument or vim.empty_dict() },
    workDoneToken = token,
  }
end

--- Runs a command of the server; what goes wrong is told, and where it is not clear what is meant, the user says so.
---@param command string without 'memoryLs.'
---@param argument table
---@param on_answer fun(answer: any, argument: table) the argument with what the user has chosen meanwhile
---@param on_problem (fun(problem: lsp.ResponseError): boolean)? does what is to be done about some problems
function M.run(command, argument, on_answer, on_problem)
  local work = begin(command)
  local function again(more)
    M.run(command, vim.tbl_extend('force', argument, more), on_answer, on_problem)
  end
  connect(function(client, why)
    if not works[work.token] then
      return -- ended meanwhile
    elseif not client then
      finish(work)
      return words.fail(why or '')
    end
    local function on_reply(problem, answer)
      problem, answer = without_null(problem), without_null(answer)
      if not finish(work) then
        return
      elseif not problem then
        on_answer(answer, argument)
      elseif not (on_problem and on_problem(problem)) and not ask_which(argument, problem, again) then
        words.fail(sentence(problem))
      end
    end
    work.client = client
    local params = params_of(command, argument, work.token)
    local sent, request = client:request('workspace/executeCommand', params, on_reply)
    work.request = sent and request or nil -- one that was not sent is found by the look at stopped servers
  end)
end

--- Runs a command and waits for the answer, as completion must.
---@param command string without 'memoryLs.'
---@param patience integer milliseconds
---@return any answer nothing where the server has none, or takes too long
function M.wait_for(command, patience)
  local answer
  connect(function(client)
    if client then
      client:request('workspace/executeCommand', params_of(command, {}), function(_, found)
        answer = without_null(found) or {}
      end)
    else
      answer = {}
    end
  end)
  vim.wait(patience, function()
    return answer ~= nil
  end, SOON)
  return answer
end

return M
