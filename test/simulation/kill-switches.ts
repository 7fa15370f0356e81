import type { SwitchSpell } from '../support/checker/observation.ts';
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

  /** An older copy of the store does not know what was thrown since: everything is put on again. */
  storeReplaced(): void {
    for (const { scope, key } of this.spells)
      for (const { store } of this.world.stores) void store.switchOn({ scope, key, ...BY, at: this.world.time.now });
    for (const spell of this.spells) spell.to ??= this.world.time.now;
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
    const { stores, time, random, trace } = this.world;
    const spell: SwitchSpell = { scope, key, from: null, to: null };
    // A person who throws a switch throws it in every store.
    const order = { scope, key, ...BY, at: time.now };
    void Promise.all(stores.map(({ store }) => store.switchOff(order))).then((changed) => {
      // One that was off already belongs to its first spell.
      if (changed.includes(false)) return;
      trace.note(`switched off: ${scope} ${key}`);
      this.world.fired('switch');
      spell.from = time.now;
      this.spells.push(spell);
      time.after(random.spell(60_000), () => this.switchOn(spell));
    });
  }

  private switchOn(spell: SwitchSpell): void {
    if (spell.to !== null) return;
    const { time, trace, second } = this.world;
    const stores = [...this.world.stores, ...(second?.stores ?? [])];
    spell.to = time.now;
    trace.note(`switched on: ${spell.scope} ${spell.key}`);
    const order = { scope: spell.scope, key: spell.key, ...BY, at: time.now };
    for (const { store } of stores) void store.switchOn(order);
  }
}
