// How text of others and numbers are put into lists and messages. Nothing here knows of VS Code.

/** Text of others for a label, in which `$(…)` would stand for an icon, or a message, in which `[…](command:…)` would be a link that runs a command. */
export function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(').replaceAll('](', ']\u200b(');
}

// So many names stand in a list of others.
const NAMED = 4;

/** The first few names, and how many more there are. */
export function firstOf(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return names.slice(0, NAMED).join(', ') + more;
}

/** A number of things. */
export function counted(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
