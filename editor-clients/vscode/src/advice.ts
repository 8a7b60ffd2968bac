// What the server advises, in the words of this editor. Nothing here knows of VS Code.

/** The server's commands that its advice names, as the palette calls what does the same. */
export const PALETTE_NAMES: Readonly<Record<string, string>> = {
  'memoryLs.history': 'History',
  'memoryLs.plans': 'Review Pending Plans',
  'memoryLs.list': 'Show Memory…',
  'memoryLs.extract': 'Extract from Selection',
};

// A provider may be called as a setting is.
const SETTING = /(?<!provider )`(\w+)`/g;

/** Advice with the names of commands and settings that VS Code shows; `isSetting` knows the settings by their keys. */
export function inPalette(advice: string, isSetting: (key: string) => boolean): string {
  return advice
    .replace(/\bmemoryLs\.\w+/g, (id) => (PALETTE_NAMES[id] ? `“Memory: ${PALETTE_NAMES[id]}”` : id))
    .replace(SETTING, (word, key: string) => (isSetting(key) ? `\`memoryLs.${key}\`` : word));
}

/** The key of the setting that an advice names first. */
export function settingIn(advice: string, isSetting: (key: string) => boolean): string | undefined {
  return Array.from(advice.matchAll(SETTING), ([, key]) => key!).find(isSetting);
}
