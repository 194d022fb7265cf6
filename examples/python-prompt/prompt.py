"""Speaks a sentence, while it lowers the music of others: prompt.py "Turn left." """

import subprocess
import sys

from avaudiosession import Session, SessionType

with Session() as session:
    session.set_type(SessionType.TRANSIENT)
    with session.active():
        subprocess.run(["espeak-ng", sys.argv[1]], env=session.environment())
