      *> Programs that call each other; each is a C function of GnuCOBOL.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. zoo.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 total PIC 9(9) COMP-5 VALUE 0.
       PROCEDURE DIVISION.
           PERFORM 12000 TIMES
               CALL "zoo_outer" USING total
           END-PERFORM.
           DISPLAY total.
           STOP RUN.
       END PROGRAM zoo.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. zoo_outer.
       DATA DIVISION.
       LINKAGE SECTION.
       01 total PIC 9(9) COMP-5.
       PROCEDURE DIVISION USING total.
           CALL "zoo_middle" USING total.
           ADD 1 TO total.
           GOBACK.
       END PROGRAM zoo_outer.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. zoo_middle.
       DATA DIVISION.
       LINKAGE SECTION.
       01 total PIC 9(9) COMP-5.
       PROCEDURE DIVISION USING total.
           CALL "zoo_inner" USING total.
           ADD 1 TO total.
           GOBACK.
       END PROGRAM zoo_middle.

       IDENTIFICATION DIVISION.
       PROGRAM-ID. zoo_inner.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 i PIC 9(9) COMP-5.
       LINKAGE SECTION.
       01 total PIC 9(9) COMP-5.
       PROCEDURE DIVISION USING total.
           PERFORM VARYING i FROM 1 BY 1 UNTIL i > 2000
               COMPUTE total = total * 7 + i
           END-PERFORM.
           GOBACK.
       END PROGRAM zoo_inner.
