/** Programs with assistants that start MCP servers, and where each of them keeps which ones. */
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface Assistant {
  /** As a person types it. */
  name: string
  /** As the program calls itself. */
  title: string
  /** Its file of settings: JSON, some of them with comments. */
  file: string
  /** The object of the file that holds the servers. */
  key: 'mcpServers' | 'servers'
  /** Said beside the command, where the program asks for it. */
  type?: 'stdio'
  /** What a person does for it to be seen. */
  next: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Of this person on this machine. */
export function assistantsOf(env: Environment, platform: NodeJS.Platform = process.platform): Assistant[] {
  const home = env.HOME || homedir()
  const settings = settingsFolder(env, platform, home)
  const restart = (title: string): string => `Restart ${title}.`
  return [
    {
      name: 'claude-desktop',
      title: 'Claude Desktop',
      file: join(settings, 'Claude', 'claude_desktop_config.json'),
      key: 'mcpServers',
      next: restart('Claude Desktop'),
    },
    {
      name: 'claude-code',
      title: 'Claude Code',
      file: join(home, '.claude.json'),
      key: 'mcpServers',
      type: 'stdio',
      next: 'Start Claude Code anew; /mcp lists what it started.',
    },
    {
      name: 'cursor',
      title: 'Cursor',
      file: join(home, '.cursor', 'mcp.json'),
      key: 'mcpServers',
      next: 'Switch prop-house on in Cursor, at Settings, MCP.',
    },
    {
      name: 'vscode',
      title: 'Visual Studio Code',
      file: join(settings, 'Code', 'User', 'mcp.json'),
      key: 'servers',
      type: 'stdio',
      next: 'Start it with the command "MCP: List Servers" of Visual Studio Code.',
    },
    {
      name: 'windsurf',
      title: 'Windsurf',
      file: join(home, '.codeium', 'windsurf', 'mcp_config.json'),
      key: 'mcpServers',
      next: 'Press Refresh at the MCP servers of Windsurf.',
    },
    {
      name: 'gemini',
      title: 'Gemini CLI',
      file: join(home, '.gemini', 'settings.json'),
      key: 'mcpServers',
      next: 'Start Gemini CLI anew; /mcp lists what it started.',
    },
  ]
}

function settingsFolder(env: Environment, platform: NodeJS.Platform, home: string): string {
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}
