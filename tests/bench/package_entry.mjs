// Where a built package's entry is, by its `exports` and the conditions of who asks: entry(folder, '.', ['node']).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function entry(folder, name, conditions = []) {
  let target = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).exports[name];
  const wanted = new Set([...conditions, 'import', 'default']);
  while (target !== undefined && typeof target !== 'string') {
    const key = Object.keys(target).find((condition) => wanted.has(condition));
    target = target[key];
  }
  if (target === undefined) throw new Error(`${folder}/package.json exports no ${name}`);
  return join(folder, target);
}
