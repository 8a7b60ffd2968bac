// What every list and message does with text of others.

/** Text of others for a label, in which `$(…)` would stand for an icon, or a message, in which `[…](command:…)` would be a link that runs a command. */
export function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(').replaceAll('](', ']\u200b(');
}
