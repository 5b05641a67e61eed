import { describe, expect, test } from 'vitest';
import { dosNames } from '../../../src/analyze/encoding/dos-names.ts';

/** One character per byte. */
function bytes(hexOrText: string): string {
  return hexOrText.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

describe('file names in archives of DOS and Windows', () => {
  test.each([
    ['Gr%94%e1e der Stra%e1en.txt', 'Größe der Straßen.txt'],
    ['%9abersicht.doc', 'Übersicht.doc'],
    ["L'%82t%82 %85 No%89l.html", "L'été à Noël.html"],
    ['r%82sum%82 du th%82%83tre.html', 'résumé du théâtre.html'],
    ['Espa%a4a y Am%82rica.txt', 'España y América.txt'],
    ['%8e%e2%e7%a5%e2.doc', 'Отчет.doc'],
    ['%ad%ae%a2%eb%a9 %a4%ae%aa%e3%ac%a5%ad%e2.txt', 'новый документ.txt'],
  ])('are read: %s', (name, read) => {
    expect(dosNames([bytes(name)])?.[0]).toBe(read);
  });

  test.each([
    ['of Windows, western', 'Gr%f6%dfe.txt'],
    ['with quotation marks', 'say %93hi%94 %96 don%92t.txt'],
    ['of Windows, Cyrillic', '%ce%f2%f7%e5%f2.doc'],
    ['of Windows, Cyrillic, small', '%ef%e0%ef%ea%e0.doc'],
    ['Japanese syllables', 'report_%83e%83X%83g_final.txt'],
    ['more Japanese ones', '%82%a0%82%a2%82%a4%82%a6.txt'],
    ['Chinese', '%d6%d0%b9%fa.txt'],
    ['with a letter that others have there, too', 'Bogot%e1.txt'],
  ])('are left to others: %s', (_, name) => {
    expect(dosNames([bytes(name)])).toBeUndefined();
  });
});
