// How text of others and numbers are put into lists and messages. Nothing here knows of VS Code.

// Marks that turn the order of the letters around them: behind one, a name reads as another.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text of others as it is written, letter for letter. */
export function inOrder(text: string): string {
  return text.replace(TURNS, '');
}

/** Text of others for a label, in which `$(…)` would stand for an icon, or a message, in which `[…](command:…)` would be a link that runs a command. */
export function plain(text: string): string {
  return inOrder(text).replaceAll('$(', '$\u200b(').replaceAll('](', ']\u200b(');
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

/** A text as a sentence of its own, which ends as one. */
export function sentence(text: string): string {
  return /[.…!?。！？]$/u.test(text) ? text : `${text}.`;
}
