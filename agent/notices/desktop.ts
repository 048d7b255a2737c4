/** Desktop notices by the system's own means. Texts come from other people: they go as arguments or in the environment, never into a script. */
import { execFile } from 'node:child_process'
import { printable } from '../../system/printable.ts'

export interface Notice {
  title: string
  text: string
}

export interface NoticeCommand {
  file: string
  args: string[]
  env?: Record<string, string>
}

const most = { title: 120, text: 600 }
const timeoutMs = 10_000

const bounded = (text: string, length: number): string => {
  const shown = printable(text.replaceAll(/\s+/g, ' ').trim())
  return shown.length > length ? `${shown.slice(0, length - 1)}…` : shown
}

/** The texts of this script are fixed; what is said comes as its arguments. */
const appleScript = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run']

/** The same: what is said lies in the environment, and becomes a text of the toast, not a part of its XML. */
const toastScript = `
$ErrorActionPreference = 'Stop'
[Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime] | Out-Null
$toast = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$texts = $toast.GetElementsByTagName('text')
$texts.Item(0).AppendChild($toast.CreateTextNode($env:PH_NOTICE_TITLE)) | Out-Null
$texts.Item(1).AppendChild($toast.CreateTextNode($env:PH_NOTICE_TEXT)) | Out-Null
$shown = New-Object Windows.UI.Notifications.ToastNotification $toast
$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show($shown)`

/** What notice servers take for markup is said as it is. */
const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export function noticeCommand(notice: Notice, platform: NodeJS.Platform): NoticeCommand {
  const [title, text] = [bounded(notice.title, most.title), bounded(notice.text, most.text)]
  if (platform === 'darwin')
    return { file: 'osascript', args: [...appleScript.flatMap((line) => ['-e', line]), '--', title, text] }
  if (platform === 'win32') {
    const args = ['-NoProfile', '-NonInteractive', '-WindowStyle', 'Hidden', '-Command', toastScript]
    return { file: 'powershell.exe', args, env: { PH_NOTICE_TITLE: title, PH_NOTICE_TEXT: text } }
  }
  return { file: 'notify-send', args: ['--app-name=Prop House', '--', title, plain(text)] }
}

/** Throws what the system says where the program is missing, or fails. */
export function showNotice(notice: Notice, signal: AbortSignal): Promise<void> {
  const { file, args, env } = noticeCommand(notice, process.platform)
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, signal, windowsHide: true, env: { ...process.env, ...env } }
    execFile(file, args, options, (error) => (error ? reject(error) : resolve()))
  })
}
