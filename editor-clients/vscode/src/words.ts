// How text of others and numbers are put into lists and messages. Nothing here knows of VS Code.

/** Text of others for a label, in which `$(…)` would stand for an icon, or a message, in which `[…](command:…)` would be a link that runs a command. */
export function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(').replaceAll('](', ']\u200b(');
}

/** A number of things. */
export function counted(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
