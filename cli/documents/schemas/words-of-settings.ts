/** What fields mean of what people set once and of what they take back, one line each. */
export const wordsOfSettings: Readonly<Record<string, string>> = {
  settings_file: 'the file that holds what you set',
  unknown_settings: 'what the file sets that this ph does not know',
  'settings.source': 'where the value comes from',
  'undefined.source': 'where the value comes from',
  variable: 'the variable of the environment that goes before the file',
  previous: 'what it was before; null for nothing',
  takes: 'what it takes, as a sentence ends',
  aliases: 'your aliases',
  line: 'the line that it stands for',
  in_shell: 'the shell runs it',
  shadowed: 'ph has a command of that name by now, which goes before it',
}
