-- :checkhealth memory_ls — what Neovim, the program and the running server say, and how to mend what is wrong.
local discover = require('memory_ls.discover')
local running = require('memory_ls.running')
local server = require('memory_ls.server')
local health = vim.health
local M = {}

local NAME = 'memory_ls'
local PATIENCE = 10000 -- milliseconds
local INSTALL = {
  'Install memory-ls, and see that `memory-ls --version` answers in the terminal that starts Neovim.',
  "Or name the program: vim.lsp.config('memory_ls', { cmd = { '/path/to/bin/memory-ls', 'serve' } })",
}

---@return boolean whether there is any use in looking further
local function check_neovim()
  health.start('Neovim')
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 0 then
    health.error(version .. ' is too old', 'Install Neovim 0.11 or newer.')
    return false
  end
  health.ok(version)
  return true
end

---@param text string
---@return string the last line that is not empty: there Python says what went wrong
local function last_line(text)
  return vim.trim(text):match('[^\n]*$')
end

--- Asks the program for its version.
---@param command string[]|function
---@return string? version
---@return boolean? is_broken whether it can't be started
local function check_program(command)
  health.start('Program')
  if type(command) ~= 'table' then
    health.info('`cmd` is a function, so what it starts is not looked at.')
    return nil
  end
  local shown = table.concat(command, ' ')
  if vim.fn.executable(command[1]) == 0 then
    health.error(('`%s` is not on the PATH, or is no program'):format(command[1]), INSTALL)
    return nil, true
  end
  local ask = vim.tbl_filter(function(argument)
    return argument ~= 'serve'
  end, command)
  table.insert(ask, '--version')
  local started, process = pcall(vim.system, ask, { text = true })
  if not started then
    health.error(('`%s` does not start: %s'):format(shown, last_line(tostring(process))), INSTALL)
    return nil, true
  end
  local done = process:wait(PATIENCE)
  local version = done.stdout:match('^memory%-ls, version (%S+)')
  if version then
    health.ok(('memory-ls %s at %s'):format(version, vim.fn.exepath(command[1])))
    return version
  end
  local said = last_line(done.stderr ~= '' and done.stderr or done.stdout)
  health.error(('`%s` fails with status %d: %s'):format(table.concat(ask, ' '), done.code, said), {
    'Is it the right program? Run it in a terminal to see all that it says.',
    'Where its Python was removed or replaced, install memory-ls anew.',
  })
  return nil, true
end

---@param config vim.lsp.Config
local function check_enabled(config)
  health.start('Configuration')
  if vim.lsp.is_enabled(NAME) then
    health.ok('enabled')
  else
    health.error('not enabled, so no file gets the server', "Write vim.lsp.enable('memory_ls') into your init.lua.")
  end
  local files = vim.api.nvim_get_runtime_file('lsp/memory_ls.lua', true)
  if #files > 1 then
    health.warn('several files configure it: ' .. table.concat(files, ', '), 'Keep one of them on the runtime path.')
  end
  if vim.fn.exists(':Memory') == 0 then
    health.warn(
      'the command :Memory is not there: plugin/memory_ls.lua was not read',
      "Put the folder on the runtime path in your init.lua, or write vim.cmd.runtime('plugin/memory_ls.lua') after it."
    )
  end
  if type(config.root_dir) ~= 'function' then
    health.warn(
      '`root_dir` is not the one of this client: memory directories may get no server, or other files one',
      "Take it out of your vim.lsp.config('memory_ls', { … })."
    )
  end
  for option, words in pairs({ code_lens = 'code lenses', inlay_hints = 'inlay hints' }) do
    if (vim.g.memory_ls or {})[option] == false then
      health.info(('%s are turned off by vim.g.memory_ls.%s'):format(words, option))
    end
  end
end

--- Tells one setting a line. Their values are the user's own; what they do is in the README.
---@param settings table<string, any>
---@param source string
local function tell_settings(settings, source)
  for _, key in ipairs(vim.fn.sort(vim.tbl_keys(settings))) do
    if key ~= 'showReferences' then -- the client's own
      health.info(('%s = %s (%s)'):format(key, vim.inspect(settings[key], { newline = ' ', indent = '' }), source))
    end
  end
end

---@param init_options table?
---@param settings table?
---@param folders string[] memory directories in use
local function check_settings(init_options, settings, folders)
  health.start('Settings')
  tell_settings(init_options or {}, 'init_options')
  local section = (settings or {}).memoryLs or {}
  if vim.tbl_isempty(section) and not vim.tbl_isempty(settings or {}) then
    health.warn(
      '`settings` holds no `memoryLs`, so nothing in it counts',
      'Write settings = { memoryLs = { staleDays = 90 } }.'
    )
  end
  tell_settings(section, 'settings.memoryLs')
  local told = {}
  for _, folder in ipairs(folders) do
    local file = vim.fs.find('.memory-ls.toml', {
      path = folder,
      upward = true,
      stop = vim.fs.dirname(discover.project_of(folder)),
    })[1]
    if file and not told[file] then
      told[file] = true
      health.info(vim.fn.fnamemodify(file, ':~') .. ' counts too, for what is not set here')
    end
  end
  health.info('All others have the values that your own file gives them, or their defaults: see `memory-ls doctor`.')
end

---@param client vim.lsp.Client
---@param version string? of the program
local function tell_client(client, version)
  local info = client.server_info or {}
  health.ok(
    ('client %d: %s %s, positions in %s'):format(
      client.id,
      info.name or '?',
      info.version or '?',
      client.offset_encoding
    )
  )
  if version and info.version and version ~= info.version then
    health.warn(
      ('the server that runs is %s, and the program is %s'):format(info.version, version),
      ':Memory restart starts the program that is there now.'
    )
  end
end

---@param version string? of the program
---@param is_broken boolean?
---@return string[] the memory directories of all buffers that the server has
local function check_files(version, is_broken)
  health.start('Servers and files')
  local clients = vim.lsp.get_clients({ name = NAME })
  for _, client in ipairs(clients) do
    tell_client(client, version)
  end
  local starting = vim.lsp.get_clients({ name = NAME, _uninitialized = true })
  if #starting > #clients then
    health.info('A server is starting.')
  elseif #clients == 0 then
    health.info('No server runs: it starts with the first file of a memory directory, or the first :Memory.')
  end
  local files, folders = {}, {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local file = vim.api.nvim_buf_get_name(buffer)
    local folder = file:lower():match('%.md$') and vim.api.nvim_buf_is_loaded(buffer) and discover.of_buffer(buffer)
    if folder then
      files[folder] = files[folder] or { attached = 0 }
      if #vim.lsp.get_clients({ name = NAME, bufnr = buffer, _uninitialized = true }) > 0 then
        files[folder].attached = files[folder].attached + 1
      else
        table.insert(files[folder], buffer)
      end
    end
  end
  for _, folder in ipairs(vim.fn.sort(vim.tbl_keys(files))) do
    table.insert(folders, folder)
    local found = files[folder]
    health.ok(('%s: %d open with the server'):format(vim.fn.fnamemodify(folder, ':~'), found.attached))
    for _, buffer in ipairs(is_broken and {} or found) do -- the error above tells why
      local filetype = vim.bo[buffer].filetype
      health.warn(
        ('%s has no server'):format(vim.fs.basename(vim.api.nvim_buf_get_name(buffer))),
        filetype == 'markdown' and 'Open it anew with :edit; what stands in the way is in ' .. vim.lsp.log.get_filename()
          or ("Its filetype is '%s': the server takes 'markdown'."):format(filetype)
      )
    end
  end
  if #folders == 0 then
    health.info(
      'No open file lies in a memory directory. One is a directory with a file MEMORY.md, a place that agents use'
        .. ' (.claude/memory and the like), or one that the setting `directories` names. :Memory init makes one.'
    )
  end
  return folders
end

--- Whether the server can do with logs what the settings say.
---@param client vim.lsp.Client?
local function check_provider(client)
  local status = client and server.wait_for('status', PATIENCE)
  local lack = status and running.lack_of(status.provider, status)
  if lack then
    health.warn(('the provider %s'):format(lack), 'Or choose another one with :Memory provider.')
  elseif status and status.provider then
    health.ok(('chat logs are read by %s'):format(status.provider))
  end
end

function M.check()
  if not check_neovim() then
    return
  end
  local config = vim.lsp.config[NAME]
  if not config then
    local way = 'Add the folder editor-clients/neovim to it: see :help memory-ls-install.'
    health.error('there is no lsp/memory_ls.lua on the runtime path', way)
    return
  end
  local version, is_broken = check_program(config.cmd)
  check_enabled(config)
  local folders = check_files(version, is_broken)
  local client = vim.lsp.get_clients({ name = NAME })[1]
  check_settings(config.init_options, client and client.settings or config.settings, folders)
  check_provider(client)
end

return M
