#!/usr/bin/python3
"""Molecular dynamics of argon and charges by OpenMM's OpenCL platform: the energies, three times."""

import openmm

ACROSS = 6
STEPS = 10

openmm.Platform.loadPluginsFromDirectory("/usr/lib/x86_64-linux-gnu/openmm/plugins")
force = openmm.NonbondedForce()
force.setNonbondedMethod(openmm.NonbondedForce.CutoffPeriodic)
force.setCutoffDistance(1.0)
system = openmm.System()
system.addForce(force)
system.setDefaultPeriodicBoxVectors((3, 0, 0), (0, 3, 0), (0, 0, 3))
places = [(x, y, z) for x in range(ACROSS) for y in range(ACROSS) for z in range(ACROSS)]
for x, y, z in places:
    system.addParticle(39.9)
    force.addParticle(0.1 if (x + y + z) % 2 else -0.1, 0.34, 0.996)
integrator = openmm.VerletIntegrator(0.002)
context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("OpenCL"), {"Precision": "single"})
context.setPositions([(0.5 * x + 0.001 * (y * z % 7), 0.5 * y, 0.5 * z) for x, y, z in places])
for _ in range(3):
    state = context.getState(getEnergy=True, getPositions=True)
    print(state.getPotentialEnergy(), state.getKineticEnergy())
    integrator.step(STEPS)
