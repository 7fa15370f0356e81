import type { SwitchSpell } from '../checker/observation.ts';
import type { World } from './world.ts';

const CURRENCIES = ['USD', 'EUR', 'JPY', 'KWD'] as const;
const BY = { by: 'olga', reason: 'drill' } as const;

/** People who switch sends off for a while, now and then in the very moment in which one begins. */
export class KillSwitches {
  readonly spells: SwitchSpell[] = [];
  private readonly world: World;
  private readonly isUsed: boolean;

  constructor(world: World) {
    this.world = world;
    this.isUsed = world.random.chance(0.4);
  }

  start(): void {
    if (this.isUsed) this.again();
  }

  /** From now on everything is on. */
  calm(): void {
    for (const spell of this.spells) this.switchOn(spell);
  }

  whenPerformed(activity: string): void {
    if (!this.isUsed || this.world.isCalm || !/^submit(Payment|Exchange) /.test(activity)) return;
    if (this.world.random.chance(0.15)) this.switchOff('everything', '');
  }

  private again(): void {
    const { time, random, payouts } = this.world;
    time.after(random.spell(150_000), () => {
      if (this.world.isCalm) return;
      const { accepted } = random.pick(payouts);
      const payee = accepted.beneficiaryId ?? 'nobody';
      const [scope, key] = random.pick([
        ['everything', ''],
        ['uid', accepted.uid],
        ['account', accepted.accountId],
        ['currency', random.pick(CURRENCIES)],
        ['payee', payee],
      ] as const);
      this.switchOff(scope, key);
      this.again();
    });
  }

  private switchOff(scope: SwitchSpell['scope'], key: string): void {
    const { store, time, random, trace } = this.world;
    const spell: SwitchSpell = { scope, key, from: null, to: null };
    void store.switchOff({ scope, key, ...BY, at: time.now }).then((changed) => {
      // One that was off already belongs to its first spell.
      if (!changed) return;
      trace.note(`switched off: ${scope} ${key}`);
      this.world.fired('switch');
      spell.from = time.now;
      this.spells.push(spell);
      time.after(random.spell(60_000), () => this.switchOn(spell));
    });
  }

  private switchOn(spell: SwitchSpell): void {
    if (spell.to !== null) return;
    const { store, time, trace } = this.world;
    spell.to = time.now;
    trace.note(`switched on: ${spell.scope} ${spell.key}`);
    void store.switchOn({ scope: spell.scope, key: spell.key, ...BY, at: time.now });
  }
}
